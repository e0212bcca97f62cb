import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { formatCount, formatMoney, formatPercent } from '@/lib/format';
import { campaignProfitQuery, type CampaignProfit } from '../api/profit';

/** Which campaigns lose money: those that cost something, the largest loss first. */
export function ProfitCard({ websiteId }: { readonly websiteId: string }) {
  const query = useQuery(campaignProfitQuery(websiteId));
  const { currency = 'USD' } = query.data ?? {};
  const money = (value: number) => formatMoney(value, currency);
  const columns: readonly Column<CampaignProfit>[] = [
    { id: 'campaign', header: 'Campaign', cell: (row) => <span className="font-medium break-words">{row.label}</span> },
    { id: 'clicks', header: 'Clicks', numeric: true, cell: (row) => formatCount(row.clicks) },
    { id: 'cost', header: 'Cost', numeric: true, cell: (row) => money(row.cost) },
    { id: 'revenue', header: 'Revenue', numeric: true, cell: (row) => money(row.revenue) },
    {
      id: 'profit',
      header: 'Profit',
      numeric: true,
      cell: (row) => (
        <span className={row.profit < 0 ? 'font-semibold text-bad' : 'font-semibold'}>{money(row.profit)}</span>
      ),
    },
    {
      id: 'roi',
      header: 'ROI',
      numeric: true,
      cell: (row) => (row.roi === null || row.roi === undefined ? '–' : formatPercent(row.roi, 0)),
    },
  ];
  const rows = query.data?.rows.filter((row) => row.cost !== 0) ?? [];
  return (
    <Card
      title="Profit by campaign"
      description="Last 30 days, largest loss first"
      actions={
        <Link
          to="/analytics"
          search={{ website: websiteId, range: '30d', details: 'utm_campaign' }}
          className={buttonClass({ variant: 'ghost' })}
        >
          View all
        </Link>
      }
    >
      {query.error ? (
        <ErrorBox error={query.error} prefix="Could not load" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <div role="status" aria-label="Loading profit">
          <Skeleton className="h-32" />
        </div>
      ) : rows.length === 0 ? (
        <Empty>No costs in the last 30 days.</Empty>
      ) : (
        <Rows caption="Profit by campaign table" rows={rows} rowKey={(row) => row.label} columns={columns} />
      )}
    </Card>
  );
}
