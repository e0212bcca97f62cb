import { useAddress } from '@/app/use-address';
import { ACCOUNT_STATES, ROLES } from '@/features/accounts/api/admin';
import { AccountsPanel } from '@/features/accounts/components/accounts-panel';
import { textOf } from '@/lib/url/search';

export function AdminAccountsPage() {
  const [search, go] = useAddress();
  return (
    <AccountsPanel
      filter={{
        search: textOf(search['search']) ?? '',
        role: ROLES.find((role) => role === search['role']) ?? '',
        state: ACCOUNT_STATES.find((state) => state === search['state']) ?? '',
      }}
      onFilter={(filter) => go({ ...filter })}
    />
  );
}
