// The side panel of the editor: tables, history and saved queries.
import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { countOf, formatCount } from '@/lib/format';
import { toastWith } from '@/stores/toasts';
import {
  allHistoryQuery,
  deleteQuery,
  historyQuery,
  restoreQuery,
  savedQuery,
  schemaQuery,
  type ListedQuery,
  type Statement,
} from '../api/queries';

const UNDO_MS = 10_000;

interface Props {
  /** Puts a whole statement into the editor. */
  readonly onOpen: (sql: string) => void;
}

export function Tables({ onOpen, onInsert }: Props & { readonly onInsert: (text: string) => void }) {
  const schema = useQuery(schemaQuery);
  if (schema.error) return <ErrorBox error={schema.error} onRetry={() => void schema.refetch()} />;
  if (!schema.data) return <Waiting label="Loading tables" />;
  return (
    <ul className="flex flex-col">
      {schema.data.tables.map((table) => (
        <li key={table.name} className="border-b border-line last:border-0">
          <details className="group">
            <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-md py-2 [&::-webkit-details-marker]:hidden">
              <ChevronRight
                aria-hidden
                className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
              />
              <code className="font-mono text-[0.8125rem] font-medium">{table.name}</code>
            </summary>
            <div className="pb-3 pl-5.5">
              <p className="mb-2 text-[0.8125rem] text-muted">{table.comment}.</p>
              {table.example && (
                <Button
                  size="sm"
                  className="mb-2"
                  aria-label={`Example of ${table.name}`}
                  onClick={() => onOpen(table.example ?? '')}
                >
                  Example
                </Button>
              )}
              <ul className="flex flex-col gap-1.5">
                {table.columns.map((column) => (
                  <li key={column.name} className="text-[0.8125rem]">
                    <button
                      type="button"
                      className="flex w-full items-baseline justify-between gap-2 rounded text-left hover:text-brand"
                      onClick={() => onInsert(column.name)}
                    >
                      <code className="font-mono break-all">{column.name}</code>
                      <span className="shrink-0 truncate text-xs text-muted">{shortType(column.type)}</span>
                    </button>
                    <p className="text-xs text-muted">{column.comment}</p>
                  </li>
                ))}
              </ul>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}

const OUTCOMES: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  done: { word: 'Done', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  refused: { word: 'Rejected', tone: 'warn' },
  cancelled: { word: 'Canceled', tone: 'neutral' },
  running: { word: 'Running', tone: 'brand' },
};

export function History({ onOpen }: Props) {
  return (
    <Statements
      history={useQuery(historyQuery)}
      empty="Statements you run here or from your clients appear in this list."
      onOpen={onOpen}
    />
  );
}

/** For admins: what all analysts ran. */
export function AllHistory({ onOpen }: Props) {
  return <Statements history={useQuery(allHistoryQuery)} empty="No statements have been run yet." onOpen={onOpen} />;
}

interface StatementsProps extends Props {
  readonly history: {
    readonly data: readonly (Statement & { readonly email?: string | null })[] | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly empty: string;
}

function Statements({ history, empty, onOpen }: StatementsProps) {
  if (history.error) return <ErrorBox error={history.error} onRetry={() => void history.refetch()} />;
  if (!history.data) return <Waiting label="Loading history" />;
  if (history.data.length === 0) return <Empty>{empty}</Empty>;
  return (
    <ul className="flex flex-col">
      {history.data.map((one) => (
        <li key={one.id} className="border-b border-line py-2.5 last:border-0">
          {one.email && <p className="truncate text-xs font-medium">{one.email}</p>}
          <button
            type="button"
            className="block w-full rounded text-left"
            onClick={() => onOpen(one.sql)}
            aria-label={`Open ${one.sql.slice(0, 80)}`}
          >
            <code className="line-clamp-3 font-mono text-xs break-words whitespace-pre-wrap">{one.sql}</code>
          </button>
          <p className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
            <Badge tone={OUTCOMES[one.outcome]?.tone ?? 'neutral'}>{OUTCOMES[one.outcome]?.word ?? one.outcome}</Badge>
            <span>{formatZoned(one.startedAt, browserTimezone())}</span>
            {one.outcome === 'done' && <span className="tabular">{figures(one)}</span>}
            {one.door === 'clickhouse' && <span>From a client</span>}
            {one.door === 'dashboard' && <span>From the dashboard</span>}
            {one.door === 'email report' && <span>From an email report</span>}
          </p>
          {one.message && <p className="mt-1 line-clamp-2 text-xs break-words text-muted">{one.message}</p>}
        </li>
      ))}
    </ul>
  );
}

interface SavedProps {
  readonly open: string | null;
  readonly onOpen: (query: ListedQuery) => void;
  /** What else can be done with a saved query. */
  readonly action?: ((query: ListedQuery) => ReactNode) | undefined;
}

/** One's own saved queries, then those of others that are shared. */
export function Saved({ open, onOpen, action }: SavedProps) {
  const saved = useQuery(savedQuery);
  const restore = useCommand(restoreQuery);
  const remove = useCommand(deleteQuery, {
    onSuccess: (_, { id, title }) =>
      toastWith('Query deleted', title, { label: 'Undo', run: () => restore.mutate(id) }, UNDO_MS),
  });
  if (saved.error) return <ErrorBox error={saved.error} onRetry={() => void saved.refetch()} />;
  if (!saved.data) return <Waiting label="Loading saved queries" />;
  if (saved.data.length === 0) return <Empty>Save a query to find it here.</Empty>;
  const list = (label: string, queries: readonly ListedQuery[]) =>
    queries.length > 0 && (
      <section aria-label={label}>
        <h3 className="text-xs font-medium text-muted">{label}</h3>
        <ul className="mb-3 flex flex-col">
          {queries.map((one) => (
            <li key={one.id} className="flex items-start gap-2 border-b border-line py-2 last:border-0">
              <button
                type="button"
                aria-current={one.id === open || undefined}
                className="min-w-0 flex-1 rounded text-left"
                onClick={() => onOpen(one)}
              >
                <span className="flex flex-wrap items-center gap-x-2 font-medium">
                  {one.title}
                  {one.isOwn && one.isShared && <Badge tone="brand">Shared</Badge>}
                </span>
                {!one.isOwn && <span className="block text-xs text-muted">{one.authorName || 'Another analyst'}</span>}
                <code className="line-clamp-2 font-mono text-xs break-words text-muted">{one.excerpt}</code>
              </button>
              {action?.(one)}
              {one.mayChange && (
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Delete ${one.title}`}
                  onClick={() => remove.mutate(one)}
                >
                  <Trash2 aria-hidden className="size-4" />
                </Button>
              )}
            </li>
          ))}
        </ul>
      </section>
    );
  return (
    <>
      {list(
        'Your queries',
        saved.data.filter(({ isOwn }) => isOwn),
      )}
      {list(
        'Shared by others',
        saved.data.filter(({ isOwn }) => !isOwn),
      )}
    </>
  );
}

function Waiting({ label }: { readonly label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2">
      {[1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} className="h-8" />
      ))}
    </div>
  );
}

const figures = (one: Statement): string => `${countOf(one.rows, 'row')}, ${formatCount(one.elapsedMs)} ms`;

const shortType = (type: string): string => type.replace(/LowCardinality\((.*)\)/, '$1').replace(/\(.*\)$/, '');
