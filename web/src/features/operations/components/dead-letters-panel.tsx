import { useQuery } from '@tanstack/react-query';
import { Eye, RotateCcw, SkipForward } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { Updated } from '@/components/charts/updated';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SearchField } from '@/components/ui/search-field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { toast, toastError } from '@/stores/toasts';
import {
  groupsQuery,
  handleLetters,
  lettersQuery,
  type Asked,
  type Choice,
  type DeadLetter,
  type DeadLetterGroup,
  type RevealedRecord,
} from '../api/operations';
import { ReasonDialog } from './dialogs';
import { RecordDialog } from './record-dialog';
import { Rows } from '@/components/data/rows';
import { formatBytes, toneOf, stateLabel } from '../lib/format';

/** Records with a requested retry and their number of attempts at that time. */
type Retried = RefObject<Map<string, number>>;

interface Props {
  readonly choice: Choice | null;
  readonly onChoose: (choice: Choice | null) => void;
  readonly search?: string;
  readonly onSearch?: (search: string) => void;
}

/** Failed records by projection and reason; revealing a record's content requires a reason and is logged. */
export function DeadLettersPanel({ choice, onChoose, search = '', onSearch = () => undefined }: Props) {
  const query = useQuery(groupsQuery);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [shown, setShown] = useState<RevealedRecord | null>(null);
  const retried = useRef(new Map<string, number>());
  const act = useCommand(handleLetters, {
    onSuccess: ({ record }, { asked: what }) => {
      if (record) setShown(record);
      if (what.kind === 'retry' && 'letter' in what) retried.current.set(what.letter.id, what.letter.attempts);
    },
  });
  const groups = query.data ?? [];
  const words = search.trim().toLowerCase();
  const shownGroups = groups.filter(({ projection, reason }) =>
    `${projection} ${reason}`.toLowerCase().includes(words),
  );
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="Dead letters"
        description="Events that failed to process. Nothing is lost; retry or skip them."
        actions={
          <>
            <Updated at={query.dataUpdatedAt} fetching={query.isFetching} />
            <SearchField label="Search dead letters" value={search} onChange={onSearch} />
          </>
        }
      >
        {query.error && (
          <ErrorBox error={query.error} prefix="Error loading dead letters" onRetry={() => void query.refetch()} />
        )}
        {!query.data && !query.error && (
          <div role="status" aria-label="Loading dead letters">
            <Skeleton className="h-40" />
          </div>
        )}
        {query.data && groups.length === 0 && <Empty title="No dead letters">All records were processed.</Empty>}
        {groups.length > 0 && shownGroups.length === 0 && <Empty>No dead letters match.</Empty>}
        {shownGroups.length > 0 && (
          <Rows
            caption="Dead letters by reason"
            columns={groupColumns(onChoose, setAsked)}
            rows={shownGroups}
            rowKey={(row) => `${row.projection} ${row.reason}`}
          />
        )}
      </Card>
      {choice && (
        <Letters
          key={`${choice.projection} ${choice.reason}`}
          choice={choice}
          retried={retried}
          onAsk={setAsked}
          onClose={() => onChoose(null)}
        />
      )}
      {asked && (
        <ActionDialog
          asked={asked}
          onClose={() => setAsked(null)}
          onConfirm={(reason) => act.mutate({ asked, reason })}
        />
      )}
      {shown && <RecordDialog record={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

function ActionDialog({
  asked,
  onClose,
  onConfirm,
}: {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string) => void;
}) {
  const what =
    'group' in asked
      ? `${formatCount(asked.count)} dead letters of ${asked.group.projection}`
      : `a dead letter of ${asked.letter.projection}`;
  const texts = {
    retry: ['Retry', 'They are processed again, and the outcome is recorded.'],
    skip: [
      'Skip',
      'They are skipped permanently, and their content is deleted here. Events parked behind them are processed again.',
    ],
    reveal: ['Reveal', 'The record may contain personal data. Your access is logged.'],
  } as const;
  const [label, text] = texts[asked.kind];
  return (
    <ReasonDialog
      title={`${label} ${what}`}
      description={text}
      confirm={label}
      danger={asked.kind === 'skip'}
      onClose={onClose}
      onConfirm={onConfirm}
    />
  );
}

function groupColumns(onChoose: Props['onChoose'], onAsk: (asked: Asked) => void): Column<DeadLetterGroup>[] {
  return [
    {
      id: 'reason',
      header: 'Reason',
      className: 'min-w-44',
      cell: (row) => (
        <>
          <button
            type="button"
            aria-label={`Show ${row.reason} of ${row.projection}`}
            className="rounded text-left font-medium text-brand hover:underline"
            onClick={() => onChoose({ projection: row.projection, reason: row.reason })}
          >
            {stateLabel(row.reason)}
          </button>
          <span className="line-clamp-2 max-w-72 text-xs break-words text-muted">{row.lastError}</span>
        </>
      ),
    },
    { id: 'projection', header: 'Projection', cell: (row) => row.projection },
    { id: 'open', header: 'Open', numeric: true, cell: (row) => formatCount(row.open) },
    { id: 'waiting', header: 'Being retried', numeric: true, cell: (row) => formatCount(row.waiting) },
    { id: 'retried', header: 'Retried', numeric: true, cell: (row) => formatCount(row.retried) },
    { id: 'skipped', header: 'Skipped', numeric: true, cell: (row) => formatCount(row.skipped) },
    { id: 'superseded', header: 'Superseded', numeric: true, cell: (row) => formatCount(row.superseded) },
    {
      id: 'newest',
      header: 'Last',
      cell: (row) => formatZoned(row.newestAt, browserTimezone()),
      className: 'whitespace-nowrap',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) =>
        row.open > 0 && (
          <div className="flex justify-end gap-1.5">
            {(['retry', 'skip'] as const).map((kind) => (
              <Button
                key={kind}
                size="sm"
                aria-label={`${kind === 'retry' ? 'Retry' : 'Skip'} all ${row.reason} of ${row.projection}`}
                onClick={() =>
                  onAsk({ kind, group: { projection: row.projection, reason: row.reason }, count: row.open })
                }
              >
                {kind === 'retry' ? 'Retry all' : 'Skip all'}
              </Button>
            ))}
          </div>
        ),
    },
  ];
}

interface LettersProps {
  readonly choice: Choice;
  readonly retried: Retried;
  readonly onAsk: (asked: Asked) => void;
  readonly onClose: () => void;
}

function Letters({ choice, retried, onAsk, onClose }: LettersProps) {
  const query = useCursorQuery(lettersQuery(choice));
  const rows = query.rows ?? [];
  useOutcomes(rows, retried);
  return (
    <Card
      title={`${stateLabel(choice.reason)}, ${choice.projection}`}
      description="Newest first"
      actions={
        <Button size="sm" onClick={onClose}>
          Close
        </Button>
      }
    >
      {query.error && <ErrorBox error={query.error} prefix="Error loading dead letters" onRetry={query.retry} />}
      {query.isPending && <Skeleton className="h-32" />}
      {query.rows?.length === 0 && <Empty>None left</Empty>}
      {rows.length > 0 && (
        <Rows caption="Dead letters of this kind" columns={letterColumns(onAsk)} rows={rows} rowKey={(row) => row.id} />
      )}
      <More of={query} className="mt-3 text-center" />
    </Card>
  );
}

/** Shows the result of a retry: the record was processed, or its attempt count increased. */
function useOutcomes(rows: readonly DeadLetter[], retried: Retried): void {
  useEffect(() => {
    for (const row of rows) {
      const attempts = retried.current.get(row.id);
      if (attempts === undefined || row.isWaiting || (row.state === 'open' && row.attempts <= attempts)) continue;
      retried.current.delete(row.id);
      if (row.state === 'open') toastError('Failed again', row.error);
      else toast(`Outcome: ${row.state}`, `${row.topic}[${row.partition}] at ${row.offset}`);
    }
  }, [rows, retried]);
}

/** The content of a record is deleted when it is retried or skipped. */
const ACTIONS = { open: ['reveal', 'retry', 'skip'], superseded: ['reveal'], retried: [], skipped: [] } as const;

function letterColumns(onAsk: (asked: Asked) => void): Column<DeadLetter>[] {
  const button = (letter: DeadLetter, kind: 'reveal' | 'retry' | 'skip') => {
    const Icon = { reveal: Eye, retry: RotateCcw, skip: SkipForward }[kind];
    const label = stateLabel(kind);
    return (
      <Button
        key={kind}
        size="sm"
        aria-label={`${label} ${letter.topic}[${letter.partition}]@${letter.offset}`}
        onClick={() => onAsk({ kind, letter })}
      >
        <Icon aria-hidden className="size-3.5" />
        {label}
      </Button>
    );
  };
  return [
    {
      id: 'place',
      header: 'Position',
      cell: (row) => (
        <code className="font-mono text-[0.8125rem] whitespace-nowrap">{`${row.topic}[${row.partition}]@${row.offset}`}</code>
      ),
    },
    {
      id: 'error',
      header: 'Error',
      cell: (row) => <span className="block max-w-72 min-w-40 break-words">{row.error}</span>,
    },
    {
      id: 'size',
      header: 'Size',
      numeric: true,
      cell: (row) => formatBytes(row.bytes),
      className: 'whitespace-nowrap',
    },
    {
      id: 'first',
      header: 'First seen',
      cell: (row) => formatZoned(row.firstAt, browserTimezone()),
      className: 'whitespace-nowrap',
    },
    { id: 'attempts', header: 'Tries', numeric: true, cell: (row) => row.attempts },
    {
      id: 'state',
      header: 'State',
      cell: (row) => <Badge tone={toneOf(row.state)}>{row.isWaiting ? 'Being retried' : stateLabel(row.state)}</Badge>,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end gap-1.5">{ACTIONS[row.state].map((kind) => button(row, kind))}</div>
      ),
    },
  ];
}
