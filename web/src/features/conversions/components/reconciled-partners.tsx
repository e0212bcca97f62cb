import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Card } from '@/components/ui/card';
import { formatIn } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { reconciledPartnersQuery, type ReconciledPartner } from '../api/reconciliation';
import { monthName } from '../lib/month-name';

/** Which partner owes what since when, and the months that do not agree. */
export function ReconciledPartners({ websiteId }: { readonly websiteId: string }) {
  const query = useQuery(reconciledPartnersQuery(websiteId));
  const { data } = query;
  return (
    <Card
      title="Owed by partner"
      description="Tracked sales compared with network reports and payouts. The longest overdue come first."
    >
      {query.error && !data ? (
        <ErrorBox error={query.error} prefix="Error loading reconciliation" onRetry={() => void query.refetch()} />
      ) : !data ? (
        <div role="status" aria-label="Loading reconciliation">
          <Skeleton className="h-64" />
        </div>
      ) : data.partners.length === 0 ? (
        <Empty>No sales or payouts of a partner yet.</Empty>
      ) : (
        <Table
          dense
          caption="Partners to reconcile"
          rows={data.partners}
          rowKey={(row) => row.partnerId}
          columns={columnsOf(websiteId)}
        />
      )}
    </Card>
  );
}

const columnsOf = (websiteId: string): readonly Column<ReconciledPartner>[] => [
  { id: 'partner', header: 'Partner', cell: (row) => <span className="font-medium">{row.partnerName}</span> },
  {
    id: 'owed',
    header: 'Due and unpaid',
    numeric: true,
    className: 'whitespace-nowrap font-medium',
    cell: (row) => <span className={row.aged.over90 > 0 ? 'text-bad' : undefined}>{formatMinor(row.open)}</span>,
  },
  {
    id: 'since',
    header: 'Since',
    className: 'whitespace-nowrap',
    cell: (row) =>
      row.since ? formatIn(row.since, 'UTC', { dateStyle: 'medium' }) : <span className="text-muted">–</span>,
  },
  {
    id: 'disputed',
    header: 'Tracked, not reported',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (row) => formatMinor(row.disputed),
  },
  {
    id: 'notDue',
    header: 'Not due yet',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (row) => formatMinor(row.notDue),
  },
  {
    id: 'months',
    header: 'Open months',
    cell: (row) =>
      row.months.length === 0 ? (
        <span className="text-good">Agreed</span>
      ) : (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {row.months.map(({ month }) => (
            <li key={month}>
              <Link
                to="/payouts/reconciliation"
                search={{ website: websiteId, partner: row.partnerId, month }}
                className="underline underline-offset-2"
                aria-label={`Reconcile ${row.partnerName}, ${monthName(month)}`}
              >
                {monthName(month)}
              </Link>
            </li>
          ))}
        </ul>
      ),
  },
];
