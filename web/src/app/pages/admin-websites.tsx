import { useAddress } from '@/app/use-address';
import { AdminWebsitesPanel } from '@/features/websites/components/admin-websites-panel';
import { OWNED_SORTS } from '@/lib/owned';
import { textOf } from '@/lib/search';

export function AdminWebsitesPage() {
  const [search, go] = useAddress();
  return (
    <AdminWebsitesPanel
      filter={{
        search: textOf(search['search']) ?? '',
        sort: OWNED_SORTS.find((sort) => sort === search['sort']) ?? 'created',
      }}
      onFilter={({ search, sort }) => go({ search, sort: sort === 'created' ? null : sort })}
    />
  );
}
