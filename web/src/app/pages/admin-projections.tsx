import { useQuery } from '@tanstack/react-query';
import { textOf } from '@/lib/url/search';
import { useAddress } from '@/app/use-address';
import { projectionsQuery } from '@/features/operations/api/operations';
import { ProjectionsPanel } from '@/features/operations/components/projections-panel';
import { SubscriptionsPanel } from '@/features/operations/components/subscriptions-panel';

export function AdminProjectionsPage() {
  const [search, go] = useAddress();
  const { isPending } = useQuery(projectionsQuery);
  return (
    <div className="flex flex-col gap-5">
      <ProjectionsPanel
        selected={textOf(search['name']) ?? null}
        onSelect={(name) => go({ name })}
        filter={{ search: textOf(search['search']) ?? '', unhealthy: search['only'] === 'unhealthy' }}
        onFilter={({ search: words, unhealthy }) => go({ search: words, only: unhealthy ? 'unhealthy' : null })}
      />
      {/* The list of projections is long: what is below it would move. */}
      {!isPending && <SubscriptionsPanel />}
    </div>
  );
}
