import { Lock } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { useSession } from '@/lib/session';
import { Workbench } from '@/features/sql/components/workbench';
import { Page } from './page';

export function SqlPage() {
  const roles = useSession()?.user.roles ?? [];
  return (
    <Page title="SQL" subtitle="Query your data with SQL">
      {roles.includes('analyst') || roles.includes('admin') ? (
        <Workbench />
      ) : (
        <Empty icon={<Lock aria-hidden className="size-5" />} title="For analysts">
          Only analysts and admins can run SQL. Ask an admin for the role.
        </Empty>
      )}
    </Page>
  );
}
