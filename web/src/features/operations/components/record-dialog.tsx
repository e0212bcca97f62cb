import { Dialog } from '@/components/ui/dialog';
import { formatBytes } from '../lib/format';
import type { RevealedRecord } from '../api/operations';

/** A record as it lies in the log. */
export function RecordDialog({ record, onClose }: { readonly record: RevealedRecord; readonly onClose: () => void }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Reason', `${record.reason}: ${record.error}`],
    ['Key', record.key || '(none)'],
    ...Object.entries(record.headers),
  ];
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`${record.topic}[${record.partition}]@${record.offset}`}
      description={`${formatBytes(record.bytes)}, generation ${record.generation} of ${record.projection}. This access was logged.`}
    >
      <dl className="mb-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-[0.8125rem]">
        {rows.map(([term, value]) => (
          <div key={term} className="contents">
            <dt className="text-muted">{term}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
      <pre
        role="group"
        tabIndex={0}
        aria-label="Content"
        className="max-h-72 overflow-auto rounded-lg bg-sunken p-3 font-mono text-[0.8125rem] break-all whitespace-pre-wrap"
      >
        {record.text === null ? `Not text; base64:\n${record.base64}` : pretty(record.text)}
      </pre>
    </Dialog>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
