import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import type { Conversion } from '@/lib/api/types';
import { countryName } from '@/lib/labels/countries';
import { formatDateTime } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { networkOf } from '@/lib/networks/postback';
import { isAutoApproved, isWithoutTxid } from '../api/conversions';
import { COLUMN_LABELS, type ColumnId } from '../lib/columns';
import type { Sort, SortKey } from '../lib/search';
import { Marks } from './marks';
import { StatusBadge } from './status-badge';

const networkName = ({ network }: Conversion) => network && (networkOf(network)?.label ?? network);

const SORTS: Partial<Record<ColumnId, SortKey>> = {
  date: 'date',
  partner: 'partner',
  amount: 'amount',
  commission: 'commission',
  status: 'status',
};

interface Options {
  readonly shown: readonly ColumnId[];
  readonly timezone: string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly onOpen: (id: string) => void;
}

export function ledgerColumns({ shown, timezone, sort, onSort, onOpen }: Options): readonly Column<Conversion>[] {
  const cells: Record<ColumnId, Omit<Column<Conversion>, 'id' | 'header'>> = {
    date: { cell: (row) => formatDateTime(row.occurredAt, timezone), className: 'whitespace-nowrap tabular' },
    txid: { cell: (row) => <OpenButton row={row} onOpen={() => onOpen(row.id)} />, className: 'max-w-56 min-w-28' },
    partner: {
      cell: (row) => row.partnerName ?? <span className="text-warn">Unattributed</span>,
      className: 'max-w-44 truncate whitespace-nowrap',
    },
    link: { cell: (row) => text(row.linkSlug && `/${row.linkSlug}`), className: 'max-w-36 truncate' },
    country: { cell: (row) => text(row.country && countryName(row.country)), className: 'max-w-32 truncate' },
    device: { cell: (row) => text(row.device) },
    source: { cell: (row) => text(row.source), className: 'max-w-36 truncate' },
    subs: {
      cell: (row) =>
        text(
          Object.entries(row.subs ?? {})
            .map(([name, value]) => `${name}=${value}`)
            .join(', '),
        ),
      className: 'max-w-48 truncate',
    },
    coupon: { cell: (row) => text(row.coupon), className: 'max-w-32 truncate' },
    customer: { cell: (row) => text(row.customer), className: 'max-w-36 truncate' },
    click: { cell: (row) => text(row.clickId), className: 'max-w-36 truncate' },
    reported: { cell: (row) => text([row.reportedBy, networkName(row)].filter(Boolean).join(', ')) },
    amount: {
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (row) => (
        <>
          {formatMinor(row.amount)}
          {row.reversed.amount > 0 && <span className="ml-1.5 text-xs text-bad">−{formatMinor(row.reversed)}</span>}
        </>
      ),
    },
    commission: {
      numeric: true,
      className: 'whitespace-nowrap font-medium',
      cell: (row) => formatMinor(row.commission),
    },
    status: { cell: (row) => <State row={row} /> },
    next: {
      cell: (row) => <span className="line-clamp-2">{text(nextOf(row, timezone))}</span>,
      className: 'max-w-60 min-w-28 text-xs break-words text-muted',
    },
  };
  return shown.map((id) => {
    const by = SORTS[id];
    const label = COLUMN_LABELS[id];
    if (!by) return { id, header: label, ...cells[id] };
    const down = sort === `-${by}`;
    const up = sort === by;
    return {
      id,
      label,
      sorted: down ? ('descending' as const) : up ? ('ascending' as const) : ('none' as const),
      header: (
        <button
          type="button"
          className="inline-flex items-center gap-1 rounded font-medium hover:text-text"
          onClick={() => onSort(down ? by : `-${by}`)}
        >
          {label}
          {down && <ArrowDown aria-hidden className="size-3" />}
          {up && <ArrowUp aria-hidden className="size-3" />}
        </button>
      ),
      ...cells[id],
    };
  });
}

export function OpenButton({ row, onOpen }: { readonly row: Conversion; readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Explain ${row.txid}`}
      title={[row.txid, row.event, row.attribution ? `by ${row.attribution.replaceAll('_', ' ')}` : null]
        .filter(Boolean)
        .join(', ')}
      className="max-w-full truncate rounded text-left font-medium text-brand hover:underline max-sm:min-h-10"
      onClick={onOpen}
    >
      {row.txid}
    </button>
  );
}

export function State({ row }: { readonly row: Conversion }) {
  return (
    <span className="flex flex-wrap items-center gap-1">
      {row.decision ? (
        <Badge tone="brand">{row.decision.decision === 'approve' ? 'Approving…' : 'Rejecting…'}</Badge>
      ) : (
        <StatusBadge status={row.status} />
      )}
      <Marks row={row} />
    </span>
  );
}

/** What happens to it next, or why it ended. */
export function nextOf(row: Conversion, timezone: string): string {
  if (row.reason) return row.reason;
  if (row.payableAt) return `Payable from ${formatDateTime(row.payableAt, timezone)}`;
  if (isWithoutTxid(row)) return 'Not auto-approved: no transaction ID';
  return isAutoApproved(row) ? `Auto-approves on ${formatDateTime(row.approvesAt, timezone)}` : '';
}

const text = (value: string | null | undefined): ReactNode =>
  value ? <span title={value}>{value}</span> : <span className="text-muted">–</span>;
