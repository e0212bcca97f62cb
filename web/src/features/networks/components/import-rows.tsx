import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatDateTime } from '@/lib/dates';
import { importRowsQuery, type ImportRow, type RowKind } from '../api/imports';
import { reportedMoney } from '../lib/numbers';

interface Props {
  readonly id: string;
  readonly kind: RowKind;
  /** What the rows are called: "new", "without a click". */
  readonly label: string;
  readonly timezone: string;
}

/** The rows behind one number of an import, in the order of the file. */
export function ImportRows({ id, kind, label, timezone }: Props) {
  return (
    <PagedTable
      caption={`Rows table: ${label}`}
      query={useCursorQuery(importRowsQuery(id, kind))}
      columns={kind === 'rejected' ? REJECTED : columnsIn(timezone)}
      rowKey={(row) => `${row.line}`}
      none="No rows."
    />
  );
}

const LINE: Column<ImportRow> = { id: 'line', header: 'Line', numeric: true, cell: (row) => row.line };

const REJECTED: readonly Column<ImportRow>[] = [
  { id: 'reason', header: 'Reason', cell: (row) => row.message, className: 'min-w-56' },
  LINE,
  {
    id: 'text',
    header: 'Text of the line',
    cell: (row) => row.text && <span className="text-[0.8125rem] text-muted wrap-anywhere">{row.text}</span>,
  },
];

const columnsIn = (timezone: string): readonly Column<ImportRow>[] => [
  {
    id: 'txid',
    header: 'Transaction',
    cell: (row) => <span className="block truncate font-medium">{row.txid}</span>,
    className: 'max-w-56 min-w-28',
  },
  LINE,
  {
    id: 'date',
    header: 'Date',
    cell: (row) => row.occurredAt && formatDateTime(row.occurredAt, timezone),
    className: 'whitespace-nowrap tabular',
  },
  { id: 'partner', header: 'Advertiser', cell: (row) => row.partner, className: 'max-w-44 truncate' },
  { id: 'product', header: 'Product', cell: (row) => row.product, className: 'max-w-44 truncate' },
  {
    id: 'click',
    header: 'Click',
    cell: (row) => (row.isUnmatched ? <Badge tone="warn">Without a click</Badge> : 'Matched'),
    className: 'whitespace-nowrap',
  },
  {
    id: 'status',
    header: 'Status',
    cell: (row) => (
      <span title={row.rawStatus || undefined}>
        <Badge tone={TONES[row.status] ?? 'neutral'}>{row.status}</Badge>
      </span>
    ),
  },
  {
    id: 'sale',
    header: 'Sale',
    numeric: true,
    cell: (row) => reportedMoney(row.sale, row.currency),
    className: 'whitespace-nowrap',
  },
  {
    id: 'commission',
    header: 'Commission',
    numeric: true,
    cell: (row) => reportedMoney(row.commission, row.currency),
    className: 'font-medium whitespace-nowrap',
  },
];

const TONES: Readonly<Record<string, Tone>> = {
  pending: 'warn',
  approved: 'good',
  paid: 'good',
  rejected: 'bad',
  reversed: 'neutral',
};
