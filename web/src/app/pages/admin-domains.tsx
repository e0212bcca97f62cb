import { useAddress } from '@/app/use-address';
import { AdminDomainsPanel } from '@/features/domains/components/admin-domains-panel';
import { OWNED_SORTS } from '@/lib/owned';
import { textOf } from '@/lib/search';

export function AdminDomainsPage() {
  const [search, go] = useAddress();
  return (
    <AdminDomainsPanel
      filter={{
        search: textOf(search['search']) ?? '',
        sort: OWNED_SORTS.find((sort) => sort === search['sort']) ?? 'created',
      }}
      onFilter={({ search, sort }) => go({ search, sort: sort === 'created' ? null : sort })}
    />
  );
}
