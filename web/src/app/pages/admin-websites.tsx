import { AdminWebsitesPanel } from '@/features/websites/components/admin-websites-panel';
import { useOwnedFilter } from './use-owned-filter';

export function AdminWebsitesPage() {
  const [filter, setFilter] = useOwnedFilter();
  return <AdminWebsitesPanel filter={filter} onFilter={setFilter} />;
}
