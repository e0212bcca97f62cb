import { useQuery } from '@tanstack/react-query';
import { Check, Download, RotateCcw, Undo2, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table } from '@/components/data/table';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { Conversion, Partner, Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { formatCount, formatMinor } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { allowed, reverse, type Action } from '../api/conversions';
import { matchingOf, undoDecisions, type Decision, type Scheduled, type Which } from '../api/decisions';
import { ledgerFile, ledgerQuery } from '../api/ledger';
import { totalsQuery } from '../api/totals';
import { useFinal, useScheduled } from '../hooks/use-scheduled';
import { useColumns } from '../lib/columns';
import { isFiltered, type ConversionsState } from '../lib/search';
import { pendingOf, sumOf } from '../lib/sums';
import type { Sum } from './bulk-dialog';
import { ColumnChooser } from './column-chooser';
import { ledgerColumns, nextOf, OpenButton, State } from './ledger-columns';
import { LedgerFilters, type LinkName } from './ledger-filters';
import { LedgerTotals } from './ledger-totals';

const BulkDialog = lazy(() => import('./bulk-dialog').then((module) => ({ default: module.BulkDialog })));
const BulkOutcome = lazy(() => import('./bulk-outcome').then((module) => ({ default: module.BulkOutcome })));
const ReverseDialog = lazy(() => import('./reverse-dialog').then((module) => ({ default: module.ReverseDialog })));

interface Props {
  readonly website: Website;
  readonly partners: readonly Partner[];
  readonly links: readonly LinkName[];
  readonly state: ConversionsState;
  readonly onChange: (change: Partial<ConversionsState>) => void;
}

interface Asked {
  readonly kind: Decision['kind'];
  readonly sum: Sum;
  readonly which: Which;
}

/** All conversions of a website: found, added up, opened one by one, and decided in the row or many at a time. */
export function LedgerCard({ website, partners, links, state, onChange }: Props) {
  const query = useCursorQuery(ledgerQuery(website, state, state.sort));
  const totals = useQuery(totalsQuery(website, state));
  const columns = useColumns();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [reversing, setReversing] = useState<Conversion | null>(null);
  const [ended, setEnded] = useState<{ readonly decision: Decision; readonly outcome: Scheduled } | null>(null);
  const phone = useIsPhone();
  const rows = query.rows ?? [];
  const pending = rows.filter((row) => row.status === 'pending' && !row.decision);
  const chosen = rows.filter((row) => isOpen(row) && picked.has(row.id));
  const approvable = all || chosen.every((row) => row.status === 'pending');
  const whole = pendingOf(totals.data);
  const clear = () => {
    setPicked(new Set());
    setAll(false);
  };
  const scheduled = useScheduled(website.id, (decision, outcome) => {
    const refused = new Set(outcome.refused.map((result) => result.id));
    setPicked((before) => new Set([...before].filter((id) => refused.has(id))));
    setAll(false);
    setEnded({ decision, outcome });
  });
  const undo = useCommand(undoDecisions);
  const reversal = useCommand(reverse);
  useFinal(rows);

  const filter = (change: Partial<ConversionsState>) => {
    clear();
    onChange(change);
  };
  const pick = (ids: readonly string[], on: boolean) => {
    setAll(false);
    setPicked((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  };
  const ask = (kind: Decision['kind']) =>
    setAsked(
      all
        ? { kind, sum: whole, which: { matching: matchingOf(website, state, totals.data?.at) } }
        : { kind, sum: sumOf(chosen), which: { ids: chosen.map((row) => row.id) } },
    );
  const act = (row: Conversion, action: Action) => {
    const which = { ids: [row.id] };
    if (action === 'reverse') setReversing(row);
    else if (action === 'approve' && row.partnerId)
      scheduled.mutate({ decision: { kind: 'approve', reason: '', unattributed: false }, which });
    else setAsked({ kind: action, sum: sumOf([row]), which });
  };
  const box = (row: Conversion) =>
    isOpen(row) ? (
      <label className="grid place-items-center max-sm:size-10">
        <span className="sr-only">{`Select ${row.txid}`}</span>
        <input
          type="checkbox"
          className="block size-4 accent-brand"
          checked={all ? row.status === 'pending' : picked.has(row.id)}
          onChange={(event) => pick([row.id], event.target.checked)}
        />
      </label>
    ) : null;
  const everyone = pending.length > 0 && pending.every((row) => picked.has(row.id));
  const boxOfAll = pending.length > 0 && (
    <input
      type="checkbox"
      className="block size-4 accent-brand"
      aria-label="Select all pending shown"
      checked={all || everyone}
      onChange={(event) =>
        pick(
          pending.map((row) => row.id),
          event.target.checked,
        )
      }
    />
  );
  const actions = (row: Conversion) => (
    <Actions
      row={row}
      busy={scheduled.isPending || undo.isPending}
      onAct={(action) => act(row, action)}
      onUndo={(id) => undo.mutate([id])}
    />
  );
  return (
    <Card
      title="Conversions"
      description={`Open one to see how its commission was calculated. Times in ${website.timezone}.`}
      actions={
        <>
          {!phone && <ColumnChooser shown={columns.shown} onToggle={columns.toggle} onReset={columns.reset} />}
          <a className={buttonClass({})} href={ledgerFile(website, state, state.sort)} download>
            <Download aria-hidden className="size-4" />
            Export CSV
          </a>
        </>
      }
    >
      <LedgerFilters filters={state} partners={partners} links={links} onChange={filter} />
      <LedgerTotals totals={totals.data} onUnattributed={() => filter({ attributed: 'no' })} />
      {(all || chosen.length > 0) && (
        <div
          role="region"
          aria-label="Selection"
          className="sticky top-16 z-sticky mb-3 flex flex-wrap items-center gap-2 rounded-lg border border-brand/30 bg-brand-soft px-3 py-2"
        >
          <p className="mr-auto font-medium" aria-live="polite">
            {all
              ? `All ${formatCount(whole.count)} pending that match are selected`
              : `${formatCount(chosen.length)} selected`}
          </p>
          {everyone && query.hasNext && !all && (
            <Button size="sm" variant="ghost" onClick={() => setAll(true)}>
              {`Select all ${formatCount(whole.count)} pending that match`}
            </Button>
          )}
          <Button
            size="sm"
            variant="primary"
            busy={scheduled.isPending}
            disabled={!approvable}
            title={approvable ? undefined : 'Some are already approved'}
            onClick={() => ask('approve')}
          >
            <Check aria-hidden className="size-3.5" />
            Approve
          </Button>
          <Button size="sm" busy={scheduled.isPending} onClick={() => ask('reject')}>
            <X aria-hidden className="size-3.5" />
            Reject
          </Button>
          <Button size="sm" variant="ghost" onClick={clear}>
            Clear selection
          </Button>
        </div>
      )}
      {ended && (
        <Suspense>
          <BulkOutcome
            {...ended}
            txids={new Map(rows.map((row) => [row.id, row.txid]))}
            onOpen={(id) => onChange({ open: id })}
            onClose={() => setEnded(null)}
          />
        </Suspense>
      )}
      {query.error ? (
        <ErrorBox error={query.error} prefix="Error loading conversions" onRetry={query.retry} />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading conversions">
          <Skeleton className="h-96" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>
          {isFiltered(state) ? 'No conversions match these filters.' : 'No conversion has been reported yet.'}
        </Empty>
      ) : phone ? (
        <>
          {boxOfAll && (
            <label className="flex min-h-10 items-center gap-3 text-muted">{boxOfAll} Select all pending shown</label>
          )}
          <ul aria-label="Conversions" className="divide-y divide-line border-t border-line">
            {rows.map((row) => (
              <li key={row.id} className="flex gap-1 py-2">
                <div className="-ml-2 w-10 shrink-0">{box(row)}</div>
                <div className="flex min-w-0 flex-1 flex-col gap-1">
                  <div className="flex items-center justify-between gap-3">
                    <OpenButton row={row} onOpen={() => onChange({ open: row.id })} />
                    <p className="shrink-0 font-medium tabular">{formatMinor(row.commission)}</p>
                  </div>
                  <p className="text-[0.8125rem] text-muted">
                    {formatDateTime(row.occurredAt, website.timezone)} · {row.partnerName ?? 'Unattributed'}
                  </p>
                  <div className="flex flex-wrap items-center justify-between gap-2">
                    <State row={row} />
                    {actions(row)}
                  </div>
                  {nextOf(row, website.timezone) && (
                    <p className="text-xs break-words text-muted">{nextOf(row, website.timezone)}</p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Table
          dense
          caption="Conversions table"
          rows={rows}
          rowKey={(row) => row.id}
          columns={[
            { id: 'pick', header: boxOfAll || <span className="sr-only">Selection</span>, cell: box, className: 'w-8' },
            ...ledgerColumns({
              shown: columns.shown.filter((id) => id !== 'next'),
              timezone: website.timezone,
              sort: state.sort,
              onSort: (sort) => onChange({ sort }),
              onOpen: (id) => onChange({ open: id }),
            }),
            { id: 'actions', header: <span className="sr-only">Actions</span>, cell: actions },
            ...ledgerColumns({
              shown: columns.shown.filter((id) => id === 'next'),
              timezone: website.timezone,
              sort: state.sort,
              onSort: (sort) => onChange({ sort }),
              onOpen: (id) => onChange({ open: id }),
            }),
          ]}
        />
      )}
      <More of={query} size="sm">
        Load more
      </More>
      <Suspense>
        {asked && (
          <BulkDialog
            kind={asked.kind}
            sum={asked.sum}
            onClose={() => setAsked(null)}
            onDecide={(decision) => {
              setEnded(null);
              scheduled.mutate({ decision, which: asked.which });
            }}
          />
        )}
        {reversing && (
          <ReverseDialog
            conversion={reversing}
            onClose={() => setReversing(null)}
            onReverse={(reason, amount) => reversal.mutate({ conversion: reversing, reason, amount })}
          />
        )}
      </Suspense>
    </Card>
  );
}

/** May still be decided with others: an approved one that turned out to be wrong is rejected. */
const isOpen = (row: Conversion): boolean => !row.decision && (row.status === 'pending' || row.status === 'approved');

const ACTIONS = {
  approve: { label: 'Approve', Icon: Check },
  reject: { label: 'Reject', Icon: X },
  reverse: { label: 'Reverse', Icon: RotateCcw },
} as const;

interface ActionsProps {
  readonly row: Conversion;
  readonly busy: boolean;
  readonly onAct: (action: Action) => void;
  readonly onUndo: (decisionId: string) => void;
}

/** Not `disabled` while one is sent: that would drop the focus. */
function Actions({ row, busy, onAct, onUndo }: ActionsProps) {
  const { decision } = row;
  return (
    <div className="flex justify-end gap-1">
      {decision && (
        <Button size="sm" aria-label={`Undo ${row.txid}`} aria-disabled={busy} onClick={() => onUndo(decision.id)}>
          <Undo2 aria-hidden className="size-3.5" />
          Undo
        </Button>
      )}
      {allowed(row).map((action) => {
        const { label, Icon } = ACTIONS[action];
        return (
          <Button
            key={action}
            size="sm"
            variant={action === 'approve' ? 'outline' : 'ghost'}
            title={label}
            aria-label={`${label} ${row.txid}`}
            aria-disabled={busy}
            onClick={busy ? undefined : () => onAct(action)}
          >
            <Icon aria-hidden className="size-3.5" />
            {action === 'approve' && label}
          </Button>
        );
      })}
    </div>
  );
}
