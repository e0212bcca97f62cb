import { Badge } from '@/components/ui/badge';
import type { Conversion } from '@/lib/api/types';
import { reasonName } from '@/lib/labels/traffic-reasons';

/** What is special about a conversion, beside its status. */
export function Marks({ row }: { readonly row: Conversion }) {
  const others = row.otherEvents ?? [];
  return (
    <>
      {row.keyKind === 'site' && (
        <span title="Only the public site key reported this sale. It is never auto-approved.">
          <Badge tone="warn">By site key</Badge>
        </span>
      )}
      {(row.conflicts ?? 0) > 0 && <Badge tone="warn">Conflicting reports</Badge>}
      {(row.unread ?? []).length > 0 && (
        <span title={`Sent in a form that cannot be read: ${(row.unread ?? []).join(', ')}.`}>
          <Badge tone="warn">Unreadable values</Badge>
        </span>
      )}
      {row.clickBotReason && (
        <span title={`Click excluded from reports: ${reasonName(row.clickBotReason)}`}>
          <Badge tone="warn">Bot click</Badge>
        </span>
      )}
      {others.length > 0 && <Badge tone="warn">Also reported as {others.join(', ')}</Badge>}
      {row.isVoid && <Badge>Import undone</Badge>}
      {row.adjustment && <Badge tone="warn">Adjustment proposed</Badge>}
    </>
  );
}
