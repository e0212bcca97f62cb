import { useState } from 'react';
import { More } from '@/components/data/more';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { versionsQuery, type QueryVersion, type SavedQuery } from '../api/queries';
import { diffLines, type DiffLine } from '../lib/diff';

interface Props {
  readonly query: SavedQuery;
  readonly isBusy: boolean;
  readonly onRestore: (number: number) => void;
  readonly onClose: () => void;
}

/** The last versions of a query, and what each changed. */
export function VersionsDialog({ query, isBusy, onRestore, onClose }: Props) {
  const versions = useCursorQuery(versionsQuery(query.id));
  const loaded = versions.rows;
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = loaded?.find(({ number }) => number === chosen) ?? loaded?.[0];
  const before = shown && loaded?.find(({ number }) => number === shown.number - 1);
  return (
    <Dialog open as="drawer" onOpenChange={onClose} title={`Versions of ${query.title}`}>
      {versions.error ? (
        <ErrorBox error={versions.error} onRetry={versions.retry} />
      ) : !loaded || !shown ? (
        <div role="status" aria-label="Loading versions">
          <Skeleton className="h-40" />
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <ol className="max-h-64 overflow-y-auto rounded-lg border border-line" aria-label="Versions">
            {loaded.map((version) => (
              <li key={version.number} className="border-b border-line last:border-0">
                <button
                  type="button"
                  aria-current={version === shown || undefined}
                  className={cx(
                    'flex w-full flex-wrap items-center gap-x-2 px-3 py-2 text-left hover:bg-sunken',
                    version === shown && 'bg-brand-soft',
                  )}
                  onClick={() => setChosen(version.number)}
                >
                  <span className="font-medium">{`Version ${version.number}`}</span>
                  {version.number === query.version && <Badge tone="good">Current</Badge>}
                  <span className="text-[0.8125rem] text-muted">{about(version)}</span>
                </button>
              </li>
            ))}
          </ol>
          <More of={versions} size="sm" className="" />
          <section aria-label={`Version ${shown.number}`} className="flex flex-col gap-2">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h3 className="font-semibold">
                {before ? `Changes from version ${before.number} to ${shown.number}` : `Version ${shown.number}`}
              </h3>
              {query.mayChange && shown.number !== query.version && (
                <Button size="sm" busy={isBusy} onClick={() => onRestore(shown.number)}>
                  Restore this version
                </Button>
              )}
            </div>
            {before && before.title !== shown.title && (
              <p className="text-[0.8125rem] text-muted">{`Title: ${before.title} → ${shown.title}`}</p>
            )}
            <Changes lines={before ? diffLines(before.sql, shown.sql) : diffLines(shown.sql, shown.sql)} />
          </section>
        </div>
      )}
    </Dialog>
  );
}

function about({ savedAt, byAuthor, restoredFrom }: QueryVersion): string {
  const parts = [formatZoned(savedAt, browserTimezone())];
  if (!byAuthor) parts.push('by an admin');
  if (restoredFrom !== null) parts.push(`restored from version ${restoredFrom}`);
  return parts.join(', ');
}

const LOOK = {
  same: { sign: ' ', word: '', className: '' },
  removed: { sign: '−', word: 'Removed: ', className: 'bg-bad-soft text-bad' },
  added: { sign: '+', word: 'Added: ', className: 'bg-good-soft text-good' },
} as const;

function Changes({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Text"
      className="overflow-x-auto rounded-lg border border-line py-1 font-mono text-[0.8125rem] leading-5"
    >
      {lines.map(({ kind, text }, index) => (
        <div key={index} className={cx('px-3 whitespace-pre-wrap', LOOK[kind].className)}>
          <span aria-hidden className="mr-2 inline-block w-3 select-none">
            {LOOK[kind].sign}
          </span>
          {LOOK[kind].word && <span className="sr-only">{LOOK[kind].word}</span>}
          {text}
        </div>
      ))}
    </div>
  );
}
