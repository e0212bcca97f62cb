import { AdminDomainsPanel } from '@/features/domains/components/admin-domains-panel';
import { useOwnedFilter } from './use-owned-filter';

export function AdminDomainsPage() {
  const [filter, setFilter] = useOwnedFilter();
  return <AdminDomainsPanel filter={filter} onFilter={setFilter} />;
}
