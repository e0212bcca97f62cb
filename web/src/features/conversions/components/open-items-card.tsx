import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { countOf, formatCount, formatMinor } from '@/lib/format';
import { openItemsQuery, type OpenAmount, type OpenItems } from '../api/open-items';

type Website = OpenItems['websites'][number];

interface Props {
  readonly currency: string;
  /** Leads to the pending conversions of a website. */
  readonly pending: (website: Website, text: string) => ReactNode;
  /** Leads to what partners owe it. */
  readonly owed: (website: Website, text: string) => ReactNode;
}

/** Conversions that wait for a decision, and payouts that are overdue, of all websites. */
export function OpenItemsCard({ currency, pending, owed }: Props) {
  const query = useQuery(openItemsQuery(currency));
  const items = query.data;
  return (
    <Card title="Waiting for you" description="Conversions to decide, and payouts that partners owe">
      {query.error && !items ? (
        <ErrorBox error={query.error} prefix="Error loading open items" onRetry={() => void query.refetch()} />
      ) : !items ? (
        <div role="status" aria-label="Loading open items">
          <Skeleton className="h-72" />
        </div>
      ) : (
        <>
          <dl className="mb-4 grid grid-cols-2 gap-3">
            <Sum label="Pending" of={items.pending} detail={countOf(items.pending.count, 'conversion')} />
            <Sum
              label="Overdue more than 30 days"
              of={items.overdue}
              detail={`${countOf(items.overdue.count, 'partner')} of ${formatCount(items.owed.count)} that owe ${formatMinor(items.owed.amount)}`}
            />
          </dl>
          {items.websites.length === 0 ? (
            <Empty>Nothing is open.</Empty>
          ) : (
            <Rows
              caption="Open by website"
              rows={items.websites}
              rowKey={(row) => row.websiteId}
              maxHeight="max-h-96"
              columns={[
                { id: 'website', header: 'Website', cell: (row) => row.domain },
                {
                  id: 'pending',
                  className: 'whitespace-nowrap',
                  header: 'Pending',
                  numeric: true,
                  cell: (row) =>
                    row.pending > 0 && pending(row, `${formatMinor(row.pendingAmount)} · ${formatCount(row.pending)}`),
                },
                {
                  id: 'overdue',
                  className: 'whitespace-nowrap',
                  header: 'Overdue',
                  numeric: true,
                  cell: (row) => row.overdue.amount > 0 && owed(row, formatMinor(row.overdue)),
                },
                {
                  id: 'owed',
                  className: 'whitespace-nowrap',
                  header: 'Owed',
                  numeric: true,
                  cell: (row) => row.owed.amount > 0 && owed(row, formatMinor(row.owed)),
                },
              ]}
            />
          )}
        </>
      )}
    </Card>
  );
}

function Sum({ label, of, detail }: { readonly label: string; readonly of: OpenAmount; readonly detail: string }) {
  return (
    <div className="min-w-0 rounded-lg bg-sunken p-3">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="mt-0.5 truncate text-lg font-semibold tabular">{formatMinor(of.amount)}</dd>
      <dd className="text-[0.8125rem] text-muted">{detail}</dd>
      {of.notConverted.length > 0 && (
        <dd className="text-[0.8125rem] text-warn">
          + {of.notConverted.map(formatMinor).join(' + ')} of {formatCount(of.notConvertedCount)} without an exchange
          rate
        </dd>
      )}
    </div>
  );
}
