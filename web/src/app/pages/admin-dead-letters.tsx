import { useAddress } from '@/app/use-address';
import { DeadLettersPanel } from '@/features/operations/components/dead-letters-panel';
import { textOf } from '@/lib/url/search';

export function AdminDeadLettersPage() {
  const [search, go] = useAddress();
  const projection = textOf(search['projection']);
  const reason = textOf(search['reason']);
  return (
    <DeadLettersPanel
      choice={projection && reason ? { projection, reason } : null}
      onChoose={(choice) => go({ projection: choice?.projection ?? null, reason: choice?.reason ?? null })}
      search={textOf(search['search']) ?? ''}
      onSearch={(text) => go({ search: text })}
    />
  );
}
