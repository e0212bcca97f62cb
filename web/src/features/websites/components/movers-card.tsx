import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { Segments } from '@/components/ui/segments';
import { Tabs } from '@/components/ui/tabs';
import { formatDay } from '@/lib/dates';
import { countOf, formatCount, formatMinor } from '@/lib/format';
import { moversQuery, type Mover, type Movers, type Period } from '../api/summary';
import { PERIODS, comparedText, signedText } from '../lib/summary';

const DIMENSIONS: Readonly<Record<string, string>> = {
  partner: 'Partners',
  page: 'Pages',
  source: 'Sources',
  country: 'Countries',
  link: 'Links',
};

interface Props {
  readonly currency: string;
  /** Links a row to the analytics that show why. */
  readonly link: (by: string, row: Mover, period: Period) => ReactNode;
}

/** What earned more or less than in the period before, the largest difference first. */
export function MoversCard({ currency, link }: Props) {
  const [period, setPeriod] = useState<Period>('week');
  const query = useQuery(moversQuery(period, currency));
  const movers = query.data;
  const first = movers?.dimensions.flatMap(({ rows }) => rows)[0];
  return (
    <Card
      title="Biggest changes"
      description={
        first
          ? `In revenue, compared with ${comparedText(first.comparedFrom, first.comparedTo)}`
          : 'In revenue, compared with the same part of the period before'
      }
      actions={<Segments label="Period" options={PERIODS} value={period} onChange={setPeriod} />}
    >
      {query.error && !movers ? (
        <ErrorBox error={query.error} prefix="Error loading changes" onRetry={() => void query.refetch()} />
      ) : !movers ? (
        <div role="status" aria-label="Loading changes">
          <Skeleton className="h-72" />
        </div>
      ) : (
        <>
          <Tabs
            label="Dimension"
            look="compact"
            tabs={movers.dimensions.map(({ by, rows }) => ({
              id: by,
              label: DIMENSIONS[by] ?? by,
              content: <Changes rows={rows} link={(row) => link(by, row, movers.period)} />,
            }))}
          />
          <Lacking movers={movers} />
        </>
      )}
    </Card>
  );
}

function Changes({ rows, link }: { readonly rows: readonly Mover[]; readonly link: (row: Mover) => ReactNode }) {
  if (rows.length === 0) return <Empty>Nothing earned more or less.</Empty>;
  return (
    <Rows
      caption="Changes"
      rows={rows}
      rowKey={(row) => `${row.websiteId} ${row.value}`}
      columns={[
        {
          id: 'label',
          header: 'What',
          cell: (row) => (
            <div className="min-w-0">
              {link(row)}
              <span className="block truncate text-xs text-muted">{row.domain}</span>
            </div>
          ),
        },
        {
          id: 'difference',
          header: 'Difference',
          numeric: true,
          className: 'whitespace-nowrap',
          cell: (row) => (
            <span className={row.difference.amount > 0 ? 'font-medium text-good' : 'font-medium text-bad'}>
              {signedText(row.difference)}
            </span>
          ),
        },
        {
          id: 'revenue',
          header: 'Revenue',
          numeric: true,
          className: 'whitespace-nowrap',
          cell: (row) => (
            <>
              {formatMinor(row.revenue)}
              <span className="block text-xs text-muted">was {formatMinor(row.previous)}</span>
            </>
          ),
        },
        {
          id: 'conversions',
          header: 'Conversions',
          numeric: true,
          cell: (row) => (
            <>
              {formatCount(row.conversions)}
              <span className="block text-xs text-muted">was {formatCount(row.previousConversions)}</span>
            </>
          ),
        },
      ]}
    />
  );
}

function Lacking({ movers }: { readonly movers: Movers }) {
  return movers.notConverted.map(({ currency, websites, lacking }) => (
    <p key={currency} className="mt-3 text-[0.8125rem] text-warn">
      {countOf(websites, 'website')} in {currency} {websites === 1 ? 'is' : 'are'} not compared: no exchange rate to{' '}
      {movers.currency} on {formatDay(lacking)}.
    </p>
  ));
}
