import { useQuery } from '@tanstack/react-query';
import { Copy, Download } from 'lucide-react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { Money } from '@/lib/api/types';
import { copyText } from '@/lib/browser/clipboard';
import { formatIn } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { toast, toastError } from '@/stores/toasts';
import {
  acceptMonth,
  reconciliationFile,
  reconciliationQuery,
  reconciliationText,
  reopenMonth,
  type PartnerMonth,
  type Reconciliation,
  type ReconciliationDifference,
} from '../api/reconciliation';
import { monthName } from '../lib/month-name';
import { REASONS } from '../lib/reasons';

/** A partner's month: three sums, and the differences between them down to the transactions. */
export function ReconciliationCard({ of }: { readonly of: PartnerMonth }) {
  const query = useQuery(reconciliationQuery(of));
  const { data } = query;
  return (
    <Card
      title={data ? `${data.partnerName}, ${monthName(of.month)}` : monthName(of.month)}
      description="A sale counts in the month in which it took place. Amounts of differences are what they leave open."
      actions={data && <Actions of={of} found={data} />}
    >
      {query.error && !data ? (
        <ErrorBox error={query.error} prefix="Error loading the month" onRetry={() => void query.refetch()} />
      ) : !data ? (
        <div role="status" aria-label="Loading the month">
          <Skeleton className="h-64" />
        </div>
      ) : (
        <>
          <Sums found={data} />
          {data.differences.length === 0 ? (
            <Empty>
              {data.state === 'agreed' ? 'Everything agrees.' : 'No differences. Not everything is due yet.'}
            </Empty>
          ) : (
            <Table
              dense
              caption="Differences"
              rows={data.differences}
              rowKey={(row, index) => `${row.conversionId ?? row.reason}-${index}`}
              columns={COLUMNS}
            />
          )}
          {data.differenceCount > data.differences.length && (
            <p className="mt-3 text-muted">
              {data.differences.length} of {data.differenceCount} differences. The CSV has them all.
            </p>
          )}
        </>
      )}
    </Card>
  );
}

function Actions({ of, found }: { readonly of: PartnerMonth; readonly found: Reconciliation }) {
  const accept = useCommand(acceptMonth);
  const reopen = useCommand(reopenMonth);
  const copy = () =>
    void reconciliationText(of)
      .then(copyText)
      .then(
        () => toast('Text copied'),
        (error: unknown) => toastError('Failed to copy the text', messageOf(error)),
      );
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Button size="sm" onClick={copy}>
        <Copy aria-hidden className="size-3.5" />
        Copy text
      </Button>
      <a className={buttonClass({ size: 'sm' })} href={reconciliationFile(of, 'csv')} download>
        <Download aria-hidden className="size-3.5" />
        Download CSV
      </a>
      {found.isAccepted ? (
        <Button size="sm" disabled={reopen.isPending} onClick={() => reopen.mutate(of)}>
          Reopen
        </Button>
      ) : (
        found.state === 'open' &&
        found.differenceCount > 0 && (
          <Button
            size="sm"
            disabled={accept.isPending}
            onClick={() => accept.mutate({ ...of, fingerprint: found.fingerprint })}
          >
            Accept differences
          </Button>
        )
      )}
    </div>
  );
}

function Sums({ found }: { readonly found: Reconciliation }) {
  const sums: readonly (readonly [name: string, amount: Money | null])[] = [
    ['Tracked', found.tracked],
    ['Reported', found.reported],
    ['Paid', found.paid],
    ['Not due yet', found.notDue],
    ['Due and unpaid', found.open],
  ];
  return (
    <dl aria-label="Sums of the month" className="mb-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:flex-wrap">
      {sums.map(([name, amount]) => (
        <div key={name} className="min-w-24">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg tabular">{amount ? formatMinor(amount) : 'No report'}</dd>
        </div>
      ))}
      <div className="min-w-24">
        <dt className="text-xs text-muted">State</dt>
        <dd>
          <Badge tone={found.state === 'agreed' ? 'good' : 'warn'}>
            {found.isAccepted ? 'Accepted' : found.state === 'agreed' ? 'Agreed' : 'Open'}
          </Badge>
        </dd>
      </div>
      {found.since && (
        <div className="min-w-24">
          <dt className="text-xs text-muted">Due since</dt>
          <dd>{formatIn(found.since, 'UTC', { dateStyle: 'medium' })}</dd>
        </div>
      )}
    </dl>
  );
}

const shown = (amount: Money | null, month: string | null, isOtherMonth: boolean) =>
  amount ? (
    <>
      {formatMinor(amount)}
      {isOtherMonth && month && <span className="block text-xs text-muted">{monthName(month)}</span>}
    </>
  ) : (
    <span className="text-muted">–</span>
  );

const COLUMNS: readonly Column<ReconciliationDifference>[] = [
  { id: 'reason', header: 'Reason', className: 'whitespace-nowrap', cell: (row) => REASONS[row.reason] },
  {
    id: 'transaction',
    header: 'Transaction',
    className: '[overflow-wrap:anywhere]',
    cell: (row) => row.transaction ?? <span className="text-muted">Payouts of the month</span>,
  },
  {
    id: 'tracked',
    header: 'Tracked',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (row) => shown(row.tracked, row.trackedMonth, row.reason === 'month'),
  },
  {
    id: 'reported',
    header: 'Reported',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (row) => shown(row.reported, row.reportedMonth, row.reason === 'month'),
  },
  {
    id: 'paid',
    header: 'Paid',
    numeric: true,
    className: 'whitespace-nowrap',
    cell: (row) => shown(row.paid, null, false),
  },
  {
    id: 'amount',
    header: 'Difference',
    numeric: true,
    className: 'whitespace-nowrap font-medium',
    cell: (row) => formatMinor(row.amount),
  },
];
