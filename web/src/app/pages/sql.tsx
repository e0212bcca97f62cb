import { useNavigate, useSearch } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { useSession } from '@/lib/session';
import { Workbench } from '@/features/sql/components/workbench';
import { addressOf, searchOf } from '@/features/sql/lib/address';
import { Page } from './page';

export function SqlPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/sql' });
  const roles = useSession()?.user.roles ?? [];
  return (
    <Page title="SQL" subtitle="Query your data with SQL">
      {roles.includes('analyst') || roles.includes('admin') ? (
        <Workbench
          address={addressOf(search)}
          onAddress={(address) => void navigate({ to: '/sql', search: searchOf(address), replace: true })}
        />
      ) : (
        <Empty icon={<Lock aria-hidden className="size-5" />} title="For analysts">
          Only analysts and admins can run SQL. Ask an admin for the role.
        </Empty>
      )}
    </Page>
  );
}
