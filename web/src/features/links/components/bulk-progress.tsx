import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { More } from '@/components/data/more';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { countOf, formatCount } from '@/lib/format';
import { bulkQuery, cancelBulk, refusedQuery, undoBulk, type LinkBulk } from '../api/bulk';

interface Props {
  readonly id: string;
  readonly onUndone: (id: string) => void;
  readonly onClose: () => void;
}

/** How far a change of many links is, what it left as it was and why; it can be stopped, and undone. */
export function BulkProgress({ id, onUndone, onClose }: Props) {
  const client = useQueryClient();
  const { data: bulk, error, refetch } = useQuery(bulkQuery(id));
  const cancel = useCommand(cancelBulk);
  const undo = useCommand(undoBulk, { onSuccess: (next) => onUndone(next.id) });
  const state = bulk?.state;
  useEffect(() => {
    if (state && state !== 'running') void client.invalidateQueries({ queryKey: ['links'] });
  }, [client, state]);
  if (error && !bulk) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (!bulk) return null;
  const isRunning = bulk.state === 'running';
  return (
    <section aria-label="Change of links" className="mb-3 rounded-lg border border-line bg-sunken px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="mr-auto font-medium">
          {headline(bulk)}
        </p>
        {isRunning ? (
          <Button size="sm" busy={cancel.isPending} onClick={() => cancel.mutate(id)}>
            Stop
          </Button>
        ) : (
          <>
            {bulk.changed > 0 && (
              <Button size="sm" busy={undo.isPending} onClick={() => undo.mutate(id)}>
                Undo
              </Button>
            )}
            <Button size="sm" variant="ghost" aria-label="Dismiss the result" onClick={onClose}>
              <X aria-hidden className="size-3.5" />
            </Button>
          </>
        )}
      </div>
      {isRunning && (
        <progress
          className="mt-2 h-1.5 w-full accent-brand"
          aria-label="Links done"
          value={bulk.done}
          max={bulk.links}
        />
      )}
      {!isRunning && bulk.failed > 0 && <Refused id={id} />}
    </section>
  );
}

function Refused({ id }: { readonly id: string }) {
  const refused = useCursorQuery(refusedQuery(id));
  if (refused.error) return <ErrorBox error={refused.error} onRetry={refused.retry} />;
  return (
    <>
      <div role="group" aria-label="Links" tabIndex={0} className="mt-2 max-h-60 overflow-y-auto text-[0.8125rem]">
        <ul aria-label="Not changed" className="flex flex-col gap-1">
          {refused.rows?.map((row) => (
            <li key={row.linkId} className="flex flex-wrap gap-x-2">
              <span className="font-medium">{row.slug ?? row.linkId}</span>
              <span className="min-w-0 break-words text-muted">{row.message}</span>
            </li>
          ))}
        </ul>
      </div>
      <More of={refused} size="sm">
        Show more
      </More>
    </>
  );
}

const DOING: Readonly<Record<string, string>> = {
  move: 'Moving links',
  replace: 'Changing destinations',
  organize: 'Changing links',
  undo: 'Restoring links',
};

function headline(bulk: LinkBulk): string {
  const to = bulk.kind === 'move' && bulk.partnerName ? ` to ${bulk.partnerName}` : '';
  if (bulk.state === 'running')
    return `${DOING[bulk.kind] ?? 'Changing links'}${to}: ${formatCount(bulk.done)} of ${formatCount(bulk.links)}`;
  const done = bulk.kind === 'move' ? `moved${to}` : bulk.kind === 'undo' ? 'restored' : 'changed';
  return [
    `${countOf(bulk.changed, 'link')} ${done}`,
    ...(bulk.failed > 0 ? [`${formatCount(bulk.failed)} not`] : []),
    ...(bulk.state === 'cancelled' ? [`stopped after ${formatCount(bulk.done)} of ${formatCount(bulk.links)}`] : []),
  ].join(', ');
}
