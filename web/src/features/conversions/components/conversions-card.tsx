import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, RotateCcw, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useIsPhone } from '@/lib/media';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import type { Conversion, ConversionStatus, Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { DecisionDialog } from './decision-dialog';
import { allowed, conversionsQuery, type Decision } from '../api/conversions';
import { STATUS_LABELS, StatusBadge } from './status-badge';
import { useDecision } from '../hooks/use-decision';

const STATUSES: readonly ConversionStatus[] = ['pending', 'approved', 'rejected', 'reversed'];

interface Props {
  readonly website: Website;
  readonly status: ConversionStatus | null;
  readonly onStatus: (status: ConversionStatus | null) => void;
  readonly partnerId: string | null;
  readonly onPickPartner: (partnerId: string) => void;
  /** Content above the list. */
  readonly chart?: ReactNode;
}

export function ConversionsCard({ website, status, onStatus, partnerId, onPickPartner, chart }: Props) {
  const query = useInfiniteQuery(conversionsQuery(website.id, { status, partnerId }));
  const decision = useDecision(website.id);
  const [asked, setAsked] = useState<{ readonly conversion: Conversion; readonly kind: 'reject' | 'reverse' } | null>(
    null,
  );
  const phone = useIsPhone();
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const deciding = decision.isPending ? decision.variables.conversion.id : null;
  const { list, follow } = useFocusAfter(decision.isPending, rows);
  const decide = (row: Conversion, made: Decision) => {
    follow(row.id);
    decision.mutate({ conversion: row, decision: made });
  };

  const buttons = (row: Conversion) => (
    <div className="flex justify-end gap-1.5" data-conversion={row.id}>
      {allowed(row).map((kind) => (
        <DecisionButton
          key={kind}
          kind={kind}
          txid={row.txid}
          busy={deciding === row.id}
          onClick={() => (kind === 'approve' ? decide(row, { kind }) : setAsked({ conversion: row, kind }))}
        />
      ))}
    </div>
  );
  const actions: Column<Conversion> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: buttons,
  };
  return (
    <Card
      title="Conversions"
      description="Latest conversions and their status"
      actions={
        <Select
          label="Status"
          className="h-8 text-[0.8125rem]"
          value={status ?? 'all'}
          onChange={(event) => onStatus(STATUSES.find((item) => item === event.target.value) ?? null)}
        >
          <option value="all">All statuses</option>
          {STATUSES.map((item) => (
            <option key={item} value={item}>
              {STATUS_LABELS[item]}
            </option>
          ))}
        </Select>
      }
    >
      {chart}
      {query.error && !query.data ? (
        <ErrorBox error={query.error} prefix="Error loading conversions" onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading Conversions">
          <Skeleton className="h-40" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>
          {status || partnerId ? 'No conversions match these filters.' : 'No conversion has been reported yet.'}
        </Empty>
      ) : (
        <div ref={list} tabIndex={-1}>
          {phone ? (
            <ConversionList rows={rows} timezone={website.timezone} onPickPartner={onPickPartner} buttons={buttons} />
          ) : (
            <Table
              caption="Conversions table"
              rows={rows}
              rowKey={(row) => row.id}
              columns={[...columns(website.timezone, onPickPartner), actions]}
            />
          )}
        </div>
      )}
      <footer className="mt-3 flex items-center justify-between gap-3">
        {query.hasNextPage ? (
          <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        ) : (
          <span />
        )}
        <Updated at={query.dataUpdatedAt} fetching={query.isFetching} />
      </footer>
      {asked && (
        <DecisionDialog {...asked} onClose={() => setAsked(null)} onDecide={(made) => decide(asked.conversion, made)} />
      )}
    </Card>
  );
}

/** A decision removes its button: the focus moves to the row's next action, else to the list. */
function useFocusAfter(busy: boolean, rows: readonly Conversion[]) {
  const list = useRef<HTMLDivElement>(null);
  const decided = useRef<string | null>(null);
  const shape = rows.map((row) => `${row.id} ${row.status}`).join();
  useEffect(() => {
    if (decided.current === null) return;
    if (document.activeElement === document.body) {
      const frames = [...(list.current?.querySelectorAll<HTMLElement>('[data-conversion]') ?? [])];
      const next = frames.find((frame) => frame.dataset['conversion'] === decided.current)?.querySelector('button');
      (next ?? list.current)?.focus({ preventScroll: true });
    }
    if (!busy) decided.current = null;
  }, [busy, shape]);
  const follow = (id: string) => {
    decided.current = id;
  };
  return { list, follow };
}

interface ListProps {
  readonly rows: readonly Conversion[];
  readonly timezone: string;
  readonly onPickPartner: (partnerId: string) => void;
  readonly buttons: (row: Conversion) => ReactNode;
}

/** The same rows where a table would have to scroll sideways. */
function ConversionList({ rows, timezone, onPickPartner, buttons }: ListProps) {
  return (
    <ul aria-label="Conversions" className="divide-y divide-line border-t border-line">
      {rows.map((row) => (
        <li key={row.id} className="flex flex-col gap-2 py-3">
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <PartnerCell row={row} onPick={onPickPartner} />
              <p className="text-[0.8125rem] break-all text-muted">
                {formatDateTime(row.occurredAt, timezone)} · {row.txid}
              </p>
            </div>
            <div className="shrink-0 text-right tabular">
              <p className="font-medium">{formatMinor(row.commission)}</p>
              <div className="text-[0.8125rem] text-muted">
                of <Amount row={row} />
              </div>
            </div>
          </div>
          <div className="flex items-center justify-between gap-3">
            <div className="min-w-0">
              <StatusBadge status={row.status} />
              {row.reason && <span className="mt-0.5 block text-xs text-muted">{row.reason}</span>}
            </div>
            {buttons(row)}
          </div>
        </li>
      ))}
    </ul>
  );
}

const DECISIONS = {
  approve: { label: 'Approve', Icon: Check },
  reject: { label: 'Reject', Icon: X },
  reverse: { label: 'Reverse', Icon: RotateCcw },
} as const;

interface DecisionButtonProps {
  readonly kind: keyof typeof DECISIONS;
  readonly txid: string;
  readonly busy: boolean;
  readonly onClick: () => void;
}

/** Not `disabled` while it is decided: that would drop the focus. */
function DecisionButton({ kind, txid, busy, onClick }: DecisionButtonProps) {
  const { label, Icon } = DECISIONS[kind];
  return (
    <Button size="sm" aria-label={`${label} ${txid}`} aria-disabled={busy} onClick={busy ? undefined : onClick}>
      <Icon aria-hidden className="size-3.5" />
      {label}
    </Button>
  );
}

function columns(timezone: string, onPickPartner: (partnerId: string) => void): Column<Conversion>[] {
  return [
    {
      id: 'time',
      header: 'Time',
      cell: (row) => formatDateTime(row.occurredAt, timezone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'txid',
      header: 'Transaction',
      className: 'min-w-36',
      cell: (row) => (
        <>
          <span className="block font-medium break-all">{row.txid}</span>
          <span className="text-xs text-muted">
            {[row.event, row.attribution ? `by ${row.attribution.replaceAll('_', ' ')}` : null]
              .filter(Boolean)
              .join(', ')}
          </span>
        </>
      ),
    },
    { id: 'partner', header: 'Partner', cell: (row) => <PartnerCell row={row} onPick={onPickPartner} /> },
    {
      id: 'amount',
      header: 'Sale',
      numeric: true,
      cell: (row) => <Amount row={row} />,
      className: 'whitespace-nowrap',
    },
    {
      id: 'commission',
      header: 'Commission',
      numeric: true,
      cell: (row) => formatMinor(row.commission),
      className: 'whitespace-nowrap',
    },
    {
      id: 'status',
      header: 'Status',
      className: 'min-w-24',
      cell: (row) => (
        <>
          <StatusBadge status={row.status} />
          {row.reason && <span className="mt-0.5 block max-w-48 text-xs text-muted">{row.reason}</span>}
        </>
      ),
    },
  ];
}

function PartnerCell({ row, onPick }: { readonly row: Conversion; readonly onPick: (partnerId: string) => void }) {
  const { partnerId, partnerName } = row;
  if (!partnerId) return <span className="text-muted">Not attributed</span>;
  return (
    <button
      type="button"
      aria-label={`Filter by ${partnerName ?? partnerId}`}
      className="rounded text-left font-medium text-brand hover:underline"
      onClick={() => onPick(partnerId)}
    >
      {partnerName ?? partnerId}
    </button>
  );
}

function Amount({ row }: { readonly row: Conversion }) {
  return (
    <>
      {formatMinor(row.amount)}
      {row.reversed.amount > 0 && <span className="block text-xs text-bad">−{formatMinor(row.reversed)}</span>}
    </>
  );
}
