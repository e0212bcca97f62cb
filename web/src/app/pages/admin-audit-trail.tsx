import { useAddress } from '@/app/use-address';
import { AuditPanel } from '@/features/operations/components/audit-panel';
import { textOf } from '@/lib/url/search';

export function AdminAuditTrailPage() {
  const [search, go] = useAddress();
  const of = (name: string) => textOf(search[name]) ?? '';
  const outcome = of('outcome');
  return (
    <AuditPanel
      filter={{
        action: of('action'),
        outcome: outcome === 'done' || outcome === 'refused' ? outcome : '',
        actor: of('actor'),
        object: of('object'),
        from: of('from'),
        to: of('to'),
      }}
      onFilter={(filter) => go({ ...filter })}
    />
  );
}
