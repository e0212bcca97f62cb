import { Badge } from '@/components/ui/badge';
import type { Conversion } from '@/lib/api/types';
import { reasonName } from '@/lib/traffic-reasons';

/** What is special about a conversion, beside its status. */
export function Marks({ row }: { readonly row: Conversion }) {
  const others = row.otherEvents ?? [];
  return (
    <>
      {row.keyKind === 'site' && (
        <span title="Nothing but the public site key reports this sale. It is never approved automatically.">
          <Badge tone="warn">By site key</Badge>
        </span>
      )}
      {(row.conflicts ?? 0) > 0 && <Badge tone="warn">Reports disagree</Badge>}
      {row.clickBotReason && (
        <span title={`Figures leave this click out: ${reasonName(row.clickBotReason)}`}>
          <Badge tone="warn">Bot click</Badge>
        </span>
      )}
      {others.length > 0 && <Badge tone="warn">Also reported as {others.join(', ')}</Badge>}
      {row.adjustment && <Badge tone="warn">Adjustment proposed</Badge>}
    </>
  );
}
