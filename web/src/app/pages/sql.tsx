import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Lock, Mail } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { isAnalyst, useSession } from '@/lib/session';
import { Workbench } from '@/features/sql/components/workbench';
import { addressOf, searchOf } from '@/features/sql/lib/address';
import { Page } from './page';

export function SqlPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/sql' });
  const user = useSession()?.user;
  return (
    <Page title="SQL" subtitle="Query your data with SQL">
      {isAnalyst(user) ? (
        <Workbench
          address={addressOf(search)}
          onAddress={(address) => void navigate({ to: '/sql', search: searchOf(address), replace: true })}
          queryAction={(query) => query.isOwn && <EmailQuery id={query.id} title={query.title} />}
        />
      ) : (
        <Empty icon={<Lock aria-hidden className="size-5" />} title="For analysts">
          Only analysts and admins can run SQL. Ask an admin for the role.
        </Empty>
      )}
    </Page>
  );
}

function EmailQuery({ id, title }: { readonly id: string; readonly title: string }) {
  return (
    <Link
      to="/account-settings"
      search={{ tab: 'reports', query: id }}
      className={buttonClass({ variant: 'ghost', size: 'icon' })}
      aria-label={`Email ${title}`}
      title={`Get ${title} by email`}
    >
      <Mail aria-hidden className="size-4" />
    </Link>
  );
}
