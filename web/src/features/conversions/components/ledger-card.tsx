import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import type { Conversion, Partner, Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { formatCount, formatMinor } from '@/lib/format';
import { useIsPhone } from '@/lib/media';
import { Marks } from './marks';
import { StatusBadge } from './status-badge';
import { BulkOutcome } from './bulk-outcome';
import { isAutoApproved } from '../api/conversions';
import { ledgerFile, ledgerQuery, matchingOf, type Bulk, type Outcome, type Which } from '../api/ledger';
import { KEY_KINDS, STATUSES, type ConversionsState } from '../lib/search';
import { countOf, useBulk } from '../hooks/use-bulk';

const BulkDialog = lazy(() => import('./bulk-dialog').then((module) => ({ default: module.BulkDialog })));

interface Props {
  readonly website: Website;
  readonly partners: readonly Partner[];
  readonly state: ConversionsState;
  readonly onChange: (change: Partial<ConversionsState>) => void;
}

/** All conversions of a website, opened one by one and decided many at a time. */
export function LedgerCard({ website, partners, state, onChange }: Props) {
  const query = useInfiniteQuery(ledgerQuery(website.id, state));
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const [asked, setAsked] = useState<Bulk['kind'] | null>(null);
  const [ended, setEnded] = useState<{ readonly kind: Bulk['kind']; readonly outcome: Outcome } | null>(null);
  const phone = useIsPhone();
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const open = rows.filter((row) => row.status === 'pending');
  const chosenRows = rows.filter((row) => isOpen(row) && picked.has(row.id));
  const chosen = chosenRows.map((row) => row.id);
  const approvable = all || chosenRows.every((row) => row.status === 'pending');
  const bulk = useBulk((kind, outcome) => {
    const done = new Set(outcome.results.filter((result) => result.ok).map((result) => result.id));
    setPicked((before) => new Set([...before].filter((id) => !done.has(id))));
    setAll(false);
    setEnded({ kind, outcome });
  });
  const which: Which = all ? { matching: matchingOf(website.id, state) } : { ids: chosen };
  const what = all ? 'all pending conversions that match' : countOf(chosen.length);
  const pick = (ids: readonly string[], on: boolean) => {
    setAll(false);
    setPicked((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  };
  const filter = (change: Partial<ConversionsState>) => {
    setPicked(new Set());
    setAll(false);
    onChange(change);
  };
  const box = (row: Conversion) =>
    isOpen(row) ? (
      <input
        type="checkbox"
        className="size-4 accent-brand"
        aria-label={`Select ${row.txid}`}
        checked={all ? row.status === 'pending' : picked.has(row.id)}
        onChange={(event) => pick([row.id], event.target.checked)}
      />
    ) : null;
  const everyone = open.length > 0 && open.every((row) => picked.has(row.id));
  const boxOfAll = open.length > 0 && (
    <input
      type="checkbox"
      className="size-4 accent-brand"
      aria-label="Select all pending shown"
      checked={all || everyone}
      onChange={(event) =>
        pick(
          open.map((row) => row.id),
          event.target.checked,
        )
      }
    />
  );
  return (
    <Card title="Conversions" description="Newest first. Open one to see how its commission was calculated.">
      <div role="group" aria-label="Filters" className="mb-4 grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap">
        <Select
          label="Status"
          value={state.status ?? ''}
          onChange={(event) => filter({ status: STATUSES.find((item) => item === event.target.value) ?? null })}
        >
          <option value="">All statuses</option>
          {STATUSES.map((item) => (
            <option key={item} value={item}>
              {item[0]?.toUpperCase()}
              {item.slice(1)}
            </option>
          ))}
        </Select>
        <Select
          label="Partner"
          value={state.partner ?? ''}
          onChange={(event) => filter({ partner: event.target.value || null })}
        >
          <option value="">All partners</option>
          {partners.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </Select>
        <Select
          label="Reported with"
          className="max-sm:col-span-2"
          value={state.keyKind ?? ''}
          onChange={(event) => filter({ keyKind: KEY_KINDS.find((item) => item === event.target.value) ?? null })}
        >
          <option value="">Any key</option>
          <option value="site">Site key only</option>
          <option value="secret">Secret key</option>
          <option value="postback">Postback token</option>
        </Select>
        <DayField label="From" value={state.from} max={state.to} onChange={(from) => filter({ from })} />
        <DayField label="To" value={state.to} min={state.from} onChange={(to) => filter({ to })} />
        {isFiltered(state) && (
          <Button
            variant="ghost"
            onClick={() => filter({ status: null, partner: null, keyKind: null, from: null, to: null })}
          >
            Clear filters
          </Button>
        )}
        <a className={buttonClass({})} href={ledgerFile(website.id, state)} download>
          Export CSV
        </a>
      </div>
      {(all || chosen.length > 0) && (
        <div
          role="region"
          aria-label="Selection"
          className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-brand-soft px-3 py-2"
        >
          <p className="mr-auto font-medium" aria-live="polite">
            {bulk.isPending && bulk.count > 0
              ? `${countOf(bulk.count)} done…`
              : all
                ? 'All pending that match are selected'
                : `${formatCount(chosen.length)} selected`}
          </p>
          {everyone && query.hasNextPage && !all && (
            <Button size="sm" variant="ghost" onClick={() => setAll(true)}>
              Select all pending that match
            </Button>
          )}
          <Button
            size="sm"
            variant="primary"
            busy={bulk.isPending}
            disabled={!approvable}
            title={approvable ? undefined : 'Some are already approved'}
            onClick={() => setAsked('approve')}
          >
            <Check aria-hidden className="size-3.5" />
            Approve
          </Button>
          <Button size="sm" busy={bulk.isPending} onClick={() => setAsked('reject')}>
            <X aria-hidden className="size-3.5" />
            Reject
          </Button>
          {bulk.isPending ? (
            <Button size="sm" variant="ghost" onClick={bulk.stop}>
              Stop
            </Button>
          ) : (
            <Button
              size="sm"
              variant="ghost"
              onClick={() => {
                setPicked(new Set());
                setAll(false);
              }}
            >
              Clear selection
            </Button>
          )}
        </div>
      )}
      {ended && (
        <BulkOutcome
          {...ended}
          txids={new Map(rows.map((row) => [row.id, row.txid]))}
          onOpen={(id) => onChange({ open: id })}
          onClose={() => setEnded(null)}
        />
      )}
      {query.error && !query.data ? (
        <ErrorBox error={query.error} prefix="Error loading conversions" onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading conversions">
          <Skeleton className="h-64" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>
          {isFiltered(state) ? 'No conversions match these filters.' : 'No conversion has been reported yet.'}
        </Empty>
      ) : phone ? (
        <>
          {boxOfAll && (
            <label className="flex items-center gap-3 pb-3 text-muted">{boxOfAll} Select all pending shown</label>
          )}
          <ul aria-label="Conversions" className="divide-y divide-line border-t border-line">
            {rows.map((row) => (
              <li key={row.id} className="flex gap-3 py-3">
                <div className="w-4 pt-1">{box(row)}</div>
                <div className="min-w-0 flex-1">
                  <div className="flex items-start justify-between gap-3">
                    <OpenButton row={row} onOpen={() => onChange({ open: row.id })} />
                    <p className="shrink-0 font-medium tabular">{formatMinor(row.commission)}</p>
                  </div>
                  <p className="text-[0.8125rem] text-muted">
                    {formatDateTime(row.occurredAt, website.timezone)} · {row.partnerName ?? 'Not attributed'}
                  </p>
                  <State row={row} timezone={website.timezone} />
                </div>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Table
          caption="Conversions table"
          rows={rows}
          rowKey={(row) => row.id}
          columns={columns(website, box, boxOfAll, (id) => onChange({ open: id }))}
        />
      )}
      {query.hasNextPage && (
        <Button size="sm" className="mt-3" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
      {asked && (
        <Suspense fallback={null}>
          <BulkDialog
            kind={asked}
            what={what}
            onClose={() => setAsked(null)}
            onDecide={(made) => {
              setEnded(null);
              bulk.decide({ bulk: made, which });
            }}
          />
        </Suspense>
      )}
    </Card>
  );
}

const isFiltered = (state: ConversionsState): boolean =>
  Boolean(state.status ?? state.partner ?? state.keyKind ?? state.from ?? state.to);

/** May still be decided with others: an approved one that turned out to be wrong is rejected. */
const isOpen = (row: Conversion): boolean => row.status === 'pending' || row.status === 'approved';

function columns(
  website: Website,
  box: (row: Conversion) => ReactNode,
  boxOfAll: ReactNode,
  onOpen: (id: string) => void,
): Column<Conversion>[] {
  return [
    { id: 'pick', header: boxOfAll || <span className="sr-only">Selection</span>, cell: box, className: 'w-8' },
    {
      id: 'time',
      header: 'Time',
      cell: (row) => formatDateTime(row.occurredAt, website.timezone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'txid',
      header: 'Transaction',
      className: 'min-w-36',
      cell: (row) => (
        <>
          <OpenButton row={row} onOpen={() => onOpen(row.id)} />
          <span className="block text-xs text-muted">
            {[row.event, row.attribution ? `by ${row.attribution.replaceAll('_', ' ')}` : null]
              .filter(Boolean)
              .join(', ')}
          </span>
        </>
      ),
    },
    {
      id: 'partner',
      header: 'Partner',
      cell: (row) => row.partnerName ?? <span className="text-muted">Not attributed</span>,
    },
    {
      id: 'amount',
      header: 'Sale',
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (row) => (
        <>
          {formatMinor(row.amount)}
          {row.reversed.amount > 0 && <span className="block text-xs text-bad">−{formatMinor(row.reversed)}</span>}
        </>
      ),
    },
    {
      id: 'commission',
      header: 'Commission',
      numeric: true,
      cell: (row) => formatMinor(row.commission),
      className: 'whitespace-nowrap font-medium',
    },
    {
      id: 'status',
      header: 'Status',
      cell: (row) => <State row={row} timezone={website.timezone} />,
      className: 'min-w-36',
    },
  ];
}

function OpenButton({ row, onOpen }: { readonly row: Conversion; readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Explain ${row.txid}`}
      className="rounded text-left font-medium break-all text-brand hover:underline"
      onClick={onOpen}
    >
      {row.txid}
    </button>
  );
}

function State({ row, timezone }: { readonly row: Conversion; readonly timezone: string }) {
  const when = row.payableAt
    ? `Payable from ${formatDateTime(row.payableAt, timezone)}`
    : isAutoApproved(row)
      ? `Auto-approves on ${formatDateTime(row.approvesAt, timezone)}`
      : null;
  return (
    <div className="flex flex-col items-start gap-0.5">
      <span className="flex flex-wrap gap-1">
        <StatusBadge status={row.status} />
        <Marks row={row} />
      </span>
      {when && <span className="text-xs text-muted">{when}</span>}
      {row.reason && <span className="max-w-56 text-xs break-words text-muted">{row.reason}</span>}
    </div>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string | null;
  readonly min?: string | null;
  readonly max?: string | null;
  readonly onChange: (day: string | null) => void;
}

function DayField({ label, value, min, max, onChange }: DayProps) {
  return (
    <label className="flex flex-col gap-1 text-muted sm:flex-row sm:items-center sm:gap-2">
      {label}
      <input
        type="date"
        className="h-9 min-w-0 rounded-lg border border-line bg-surface px-2 font-medium text-text"
        value={value ?? ''}
        min={min ?? '1990-01-01'}
        max={max ?? '2100-12-31'}
        onChange={(event) => onChange(event.target.value || null)}
      />
    </label>
  );
}
