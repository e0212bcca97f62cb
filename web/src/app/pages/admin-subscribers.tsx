import { useAddress } from '@/app/use-address';
import { isState } from '@/features/leads/api/admin';
import { EarlyAccessPanel } from '@/features/leads/components/early-access-panel';
import { SubscribersPanel } from '@/features/leads/components/subscribers-panel';
import { textOf } from '@/lib/url/search';

export function AdminSubscribersPage() {
  const [search, go] = useAddress();
  const wanted = textOf(search['state']);
  return (
    <div className="flex flex-col gap-6">
      <EarlyAccessPanel />
      <SubscribersPanel
        state={isState(wanted) ? wanted : undefined}
        email={textOf(search['email']) ?? ''}
        onState={(state) => go({ state: state ?? null })}
        onEmail={(email) => go({ email })}
      />
    </div>
  );
}
