import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Card, surface } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Segments } from '@/components/ui/segments';
import { SearchField } from '@/components/ui/search-field';
import { cx } from '@/lib/cx';
import { formatDay } from '@/lib/dates';
import { countOf, formatCount, formatMinor } from '@/lib/format';
import { summaryQuery, type WebsiteSummary, type WebsitesSummary } from '../api/summary';
import {
  METRICS,
  PERIODS,
  arranged,
  comparedText,
  detailText,
  lackingText,
  mainText,
  signedText,
  totalText,
  type Metric,
  type PeriodId,
  type Sort,
  type SortBy,
} from '../lib/summary';

interface Props {
  /** Links a row to the dashboard of its website. */
  readonly link: (website: WebsiteSummary) => ReactNode;
  /** Shown without any website. */
  readonly none: ReactNode;
  /** Shown between the totals and the table, in the chosen currency. */
  readonly children: (currency: string) => ReactNode;
}

/** All websites of the account beside each other, and their sums. */
export function AllWebsites({ link, none, children }: Props) {
  const [currency, setCurrency] = useState<string>();
  const [metric, setMetric] = useState<Metric>('revenue');
  const query = useQuery(summaryQuery(currency));
  const summary = query.data;
  if (query.error && !summary)
    return <ErrorBox error={query.error} prefix="Error loading websites" onRetry={() => void query.refetch()} />;
  if (summary && summary.websites.length === 0) return none;
  const codes = currencies(summary);
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <div className="flex min-h-10 flex-wrap items-center gap-2">
        <Segments
          label="Currency"
          options={codes.map((code) => ({ id: code, label: code }))}
          value={currency ?? summary?.currency ?? ''}
          onChange={setCurrency}
        />
        <Select label="Metric" value={metric} onChange={(event) => setMetric(event.target.value as Metric)}>
          {METRICS.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      <Totals summary={summary} metric={metric} />
      {summary && children(summary.currency)}
      {summary ? (
        <WebsitesTable summary={summary} metric={metric} link={link} />
      ) : (
        <div role="status" aria-label="Loading websites" className={cx(surface, 'min-h-dvh p-5')}>
          <Skeleton className="h-5 w-40" />
          <Skeleton className="mt-6 h-40" />
        </div>
      )}
    </div>
  );
}

/** Those that a website has, and the usual ones; at most six. */
function currencies(summary: WebsitesSummary | undefined): readonly string[] {
  const own = summary ? [summary.currency, ...summary.websites.map((website) => website.currency)] : [];
  return [...new Set([...own, 'EUR', 'USD', 'GBP'])].slice(0, 6).sort();
}

function Totals({ summary, metric }: { readonly summary: WebsitesSummary | undefined; readonly metric: Metric }) {
  return (
    <dl aria-label="All websites" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-5">
      {PERIODS.map(({ id, label }) => (
        <div key={id} className={cx(surface, 'min-w-0 p-3 sm:p-4')}>
          <dt className="text-[0.8125rem] text-muted">{label}</dt>
          <dd className="mt-1 min-h-8 truncate text-xl font-semibold tabular sm:text-2xl" data-testid={`total-${id}`}>
            {summary ? totalText(summary, id, metric) : <Skeleton className="h-7 w-24" />}
          </dd>
          <dd className="min-h-5 text-[0.8125rem] text-muted tabular">
            {summary &&
              (metric === 'revenue' ? <Difference summary={summary} id={id} /> : conversionsText(summary, id))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const conversionsText = (summary: WebsitesSummary, id: PeriodId): string =>
  countOf(summary.totals[id].conversions, 'conversion');

/** In money, to the same part of the period before; days of the websites' own time zones. */
function Difference({ summary, id }: { readonly summary: WebsitesSummary; readonly id: PeriodId }) {
  const { difference, notConverted } = summary.totals[id];
  const previous = summary.websites[0]?.[id].previous;
  const rise = difference.amount;
  return (
    <>
      <span className={rise > 0 ? 'text-good' : rise < 0 ? 'text-bad' : ''}>{signedText(difference)}</span>
      {previous && <span className="block">vs {comparedText(previous.from, previous.to)}</span>}
      {notConverted.length > 0 && (
        <span className="block text-warn" title={notConverted.map(lackingText).join('\n')}>
          + {notConverted.map(({ amount }) => formatMinor(amount)).join(' + ')}
        </span>
      )}
    </>
  );
}

interface TableProps {
  readonly summary: WebsitesSummary;
  readonly metric: Metric;
  readonly link: Props['link'];
}

function WebsitesTable({ summary, metric, link }: TableProps) {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>({ by: 'month', down: true });
  const rows = arranged(summary.websites, search, sort, metric);
  const header = (by: SortBy, label: string): Pick<Column<WebsiteSummary>, 'id' | 'header' | 'label' | 'sorted'> => ({
    id: by,
    label,
    sorted: sort.by !== by ? 'none' : sort.down ? 'descending' : 'ascending',
    header: (
      <button
        type="button"
        className="inline-flex min-h-6 items-center gap-1 rounded font-medium hover:text-text"
        onClick={() => setSort({ by, down: sort.by === by ? !sort.down : by !== 'domain' })}
      >
        {label}
        {sort.by === by &&
          (sort.down ? <ArrowDown aria-hidden className="size-3" /> : <ArrowUp aria-hidden className="size-3" />)}
      </button>
    ),
  });
  const columns: readonly Column<WebsiteSummary>[] = [
    {
      ...header('domain', 'Website'),
      cell: (row) => (
        <div className="min-w-0">
          {link(row)}
          <span className="block text-xs text-muted">{row.timezone}</span>
        </div>
      ),
    },
    ...PERIODS.map(({ id, label }): Column<WebsiteSummary> => ({
      ...header(id, label),
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (row) => (
        <>
          <span className="font-medium">{mainText(row[id], metric)}</span>
          <span className="block text-xs text-muted">{detailText(row[id], metric)}</span>
        </>
      ),
    })),
    {
      id: 'series',
      header: '30 days',
      cell: (row) => (
        <Sparkline
          values={metric === 'revenue' ? row.series.revenue : row.series.clicks}
          color={metric === 'revenue' ? 'var(--c-chart-1)' : 'var(--c-chart-5)'}
        />
      ),
    },
  ];
  return (
    <Card
      title="Websites"
      description="Each in its own time zone, without bots. All but yesterday run until now."
      actions={
        <>
          <SearchField label="Search websites" value={search} onChange={setSearch} />
          <Select
            label="Sort by"
            className="h-8 text-[0.8125rem] sm:hidden"
            value={sort.by}
            onChange={({ target }) => setSort({ by: target.value as SortBy, down: target.value !== 'domain' })}
          >
            <option value="domain">Website</option>
            {PERIODS.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </Select>
        </>
      }
    >
      {rows.length === 0 ? (
        <Empty>No websites match “{search}”.</Empty>
      ) : (
        <Rows caption="List of websites" columns={columns} rows={rows} rowKey={(row) => row.websiteId} />
      )}
      <Notes summary={summary} />
    </Card>
  );
}

/** At which rates sums are made, and what is in none. */
function Notes({ summary }: { readonly summary: WebsitesSummary }) {
  const { currency, rates, totals, omitted } = summary;
  return (
    <div className="mt-3 flex flex-col gap-1 text-[0.8125rem] text-muted">
      {rates.length > 0 && (
        <p>
          Converted at the exchange rate of each day; today’s:{' '}
          {rates.map((rate) => `1 ${rate.currency} = ${rate.rate} ${currency} (${formatDay(rate.on)})`).join(', ')}.
        </p>
      )}
      {totals.quarter.notConverted.map((one) => (
        <p key={one.amount.currency} className="text-warn">
          Not in the totals of this quarter: {lackingText(one)}.
        </p>
      ))}
      <p>People who visit two of your websites are counted once per website.</p>
      {omitted > 0 && <p>{formatCount(omitted)} more websites are not shown here.</p>}
    </div>
  );
}
