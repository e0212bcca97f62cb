import { Paperclip } from 'lucide-react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatDay } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { payoutFile, payoutsQuery, type Payout } from '../api/payouts';
import { monthName } from '../lib/month-name';

interface Props {
  readonly websiteId: string;
  readonly onRecord: () => void;
  readonly onCorrect: (payout: Payout) => void;
  readonly onVoid: (payout: Payout) => void;
}

/** What was paid, newest first, voided ones included. */
export function PayoutsCard({ websiteId, onRecord, onCorrect, onVoid }: Props) {
  const query = useCursorQuery(payoutsQuery(websiteId, null));
  const phone = useIsPhone();
  const rows = query.rows ?? [];
  const actions = (row: Payout) => (
    <div className="flex justify-end gap-1">
      {row.hasFile && (
        <a
          href={payoutFile(row.id)}
          download
          aria-label={`Download the file of ${titleOf(row)}`}
          className="grid size-8 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-text"
        >
          <Paperclip aria-hidden className="size-4" />
        </a>
      )}
      {!row.voidedAt && (
        <>
          <Button size="sm" variant="ghost" aria-label={`Correct ${titleOf(row)}`} onClick={() => onCorrect(row)}>
            Correct
          </Button>
          <Button size="sm" variant="ghost" aria-label={`Void ${titleOf(row)}`} onClick={() => onVoid(row)}>
            Void
          </Button>
        </>
      )}
    </div>
  );
  const columns: readonly Column<Payout>[] = [
    { id: 'paid', header: 'Paid on', cell: (row) => formatDay(row.paidOn), className: 'whitespace-nowrap tabular' },
    { id: 'partner', header: 'Partner', cell: (row) => <span className="font-medium">{row.partnerName}</span> },
    {
      id: 'reference',
      header: 'Reference',
      cell: (row) => <span title={row.reference}>{row.reference || '–'}</span>,
      className: 'max-w-48 truncate',
    },
    { id: 'matched', header: 'Matched to', cell: matchedTo, className: 'max-w-56 truncate' },
    {
      id: 'amount',
      header: 'Amount',
      numeric: true,
      cell: (row) => <Paid row={row} />,
      className: 'whitespace-nowrap',
    },
    { id: 'state', header: 'Status', cell: (row) => <State row={row} />, className: 'whitespace-nowrap' },
    { id: 'actions', header: <span className="sr-only">Actions</span>, cell: actions },
  ];
  return (
    <Card
      title="Payouts"
      description="Payouts are never edited: corrections and voids are recorded with a reason."
      actions={
        <Button variant="primary" onClick={onRecord}>
          Record payout
        </Button>
      }
    >
      {query.error ? (
        <ErrorBox error={query.error} prefix="Error loading payouts" onRetry={query.retry} />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading payouts">
          <Skeleton className="h-48" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>No payouts recorded yet. Record what a partner paid to see what is still owed.</Empty>
      ) : phone ? (
        <ul aria-label="Payouts" className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <li key={row.id} className="flex flex-col gap-1 py-3">
              <div className="flex items-start justify-between gap-3">
                <p className="min-w-0 font-medium">{row.partnerName}</p>
                <p className="tabular">
                  <Paid row={row} />
                </p>
              </div>
              <p className="text-[0.8125rem] text-muted">
                {[formatDay(row.paidOn), row.reference, matchedTo(row)].filter(Boolean).join(' · ')}
              </p>
              <div className="flex items-center justify-between gap-2">
                <State row={row} />
                {actions(row)}
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <Table dense caption="Payouts table" rows={rows} rowKey={(row) => row.id} columns={columns} />
      )}
      <More of={query} size="sm">
        Load more
      </More>
    </Card>
  );
}

const titleOf = (row: Payout): string =>
  `the payout of ${row.partnerName} on ${formatDay(row.paidOn)}${row.reference ? `, ${row.reference}` : ''}`;

const matchedTo = (row: Payout): string =>
  row.allocations.length === 0 ? 'Oldest open months' : row.allocations.map((one) => monthName(one.month)).join(', ');

function Paid({ row }: { readonly row: Payout }) {
  const isForeign = row.amount.currency !== row.credited.currency;
  return (
    <span className={row.voidedAt ? 'text-muted line-through' : 'font-medium'}>
      {formatMinor(row.amount)}
      {isForeign && <span className="ml-1.5 text-xs text-muted">= {formatMinor(row.credited)}</span>}
    </span>
  );
}

function State({ row }: { readonly row: Payout }) {
  if (row.voidedAt)
    return (
      <span title={row.reason}>
        <Badge tone="bad">Voided</Badge>
      </span>
    );
  if (row.correctedAt)
    return (
      <span title={row.reason}>
        <Badge tone="warn">Corrected</Badge>
      </span>
    );
  return <Badge tone="good">Recorded</Badge>;
}
