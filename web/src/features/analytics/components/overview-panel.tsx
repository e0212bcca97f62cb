import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Card, surface } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { cx } from '@/lib/cx';
import { browserTimezone, formatDay, formatZoned } from '@/lib/dates';
import { formatCount, formatMinor, formatMoney, formatPercent } from '@/lib/format';
import { pageOf } from '../lib/activity-link';
import { choicesOf, keepCurrency, keptCurrency } from '@/lib/storage/totals-currency';
import { activityQuery, totalsQuery, type PlatformTotals } from '../api/platform-totals';
import { adminPartnersQuery } from '@/lib/api/setup-queries';

/** Platform totals, refetched every 30 s, and recent activity. */
export function OverviewPanel() {
  return (
    <div className="flex flex-col gap-5">
      <StatCards />
      <RecentActivity />
    </div>
  );
}

interface Stat {
  readonly label: string;
  readonly value: string | undefined;
  readonly caption: string | undefined;
  readonly more?: ReactNode;
}

function StatCards() {
  const [currency, setCurrency] = useState(keptCurrency);
  const totals = useQuery(totalsQuery(currency));
  const partners = useQuery({ ...adminPartnersQuery, refetchInterval: 30_000 });
  const data = totals.data;
  const active = partners.data?.filter((partner) => partner.isActive).length;
  const cards: readonly Stat[] = [
    { label: 'Total Clicks', value: data && formatCount(data.totalClicks), caption: 'All time' },
    {
      label: 'Conversions',
      value: data && formatCount(data.totalConversions),
      caption: data && `${formatPercent(data.conversionRate)} conversion rate`,
    },
    {
      label: 'Revenue',
      value: data && formatMoney(data.totalRevenue, data.currency),
      caption: 'Estimated earnings',
      more: data && <Conversion totals={data} />,
    },
    {
      label: 'Active Partners',
      value: active !== undefined ? formatCount(active) : undefined,
      caption: 'Partners accepting traffic',
    },
  ];
  const error = totals.error ?? partners.error;
  return (
    <section aria-label="Totals" className="flex flex-col gap-3">
      {error && (
        <ErrorBox
          error={error}
          prefix="Error loading analytics"
          onRetry={() => {
            void totals.refetch();
            void partners.refetch();
          }}
        />
      )}
      <div className="flex justify-end">
        <Select
          label="Currency of the totals"
          value={currency ?? data?.currency ?? ''}
          disabled={!data}
          onChange={(event) => {
            keepCurrency(event.target.value);
            setCurrency(event.target.value);
          }}
        >
          {data &&
            choicesOf(data).map((code) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
        </Select>
      </div>
      <ul className="grid grid-cols-1 gap-3 min-[480px]:grid-cols-2 sm:gap-4 xl:grid-cols-4">
        {cards.map((card) => (
          <li key={card.label} data-testid={`stat-${card.label}`} className={cx(surface, 'p-4 sm:p-5')}>
            <h2 className="text-[0.8125rem] font-medium text-muted">{card.label}</h2>
            <div className="mt-1 text-2xl font-semibold tabular">
              {card.value ?? (error ? <span className="text-muted">–</span> : <Skeleton className="my-1 h-7 w-24" />)}
            </div>
            <p className="mt-0.5 text-[0.8125rem] text-muted">{card.caption ?? ' '}</p>
            {card.more}
          </li>
        ))}
      </ul>
      <Updated at={totals.dataUpdatedAt} fetching={totals.isFetching} />
    </section>
  );
}

/** The rates behind the sum with their days, and what has none. */
function Conversion({ totals }: { readonly totals: PlatformTotals }) {
  const { currency, rates, notConverted } = totals;
  return (
    <>
      {rates.map((rate) => (
        <p key={rate.currency} className="mt-0.5 text-[0.8125rem] text-muted tabular">
          {`1 ${rate.currency} = ${rate.rate} ${currency}, ${formatDay(rate.on)}`}
        </p>
      ))}
      {notConverted.map((amount) => (
        <p key={amount.currency} className="mt-0.5 text-[0.8125rem]">
          {`Without ${formatMinor(amount)}: no rate from ${amount.currency} to ${currency}. `}
          <Link
            to="/admin/exchange-rates"
            search={{ add: `${amount.currency}-${currency}` }}
            className="font-medium text-brand underline underline-offset-2"
          >
            Add rate
          </Link>
        </p>
      ))}
    </>
  );
}

function RecentActivity() {
  const query = useQuery(activityQuery);
  return (
    <Card title="Recent Activity" description="Latest activity">
      {query.error && (
        <ErrorBox
          error={query.error}
          prefix="Error loading activity"
          onRetry={() => void query.refetch()}
          className="mb-3"
        />
      )}
      {!query.data ? (
        !query.error && (
          <div role="status" aria-label="Loading activity">
            <Skeleton className="h-40" />
          </div>
        )
      ) : query.data.length === 0 ? (
        <Empty>No recent activity</Empty>
      ) : (
        <ul className="-my-1 divide-y divide-line" aria-label="Recent activity">
          {query.data.map((item) => {
            const page = pageOf(item);
            return (
              <li key={item.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5">
                <code className="w-52 shrink-0 truncate font-mono text-[0.8125rem] text-muted max-sm:w-full">
                  {item.type}
                </code>
                <p className="min-w-0 flex-1 basis-56 break-words">
                  {page ? (
                    <Link to={page.to} search={page.search} className="font-medium hover:text-brand hover:underline">
                      {item.description}
                    </Link>
                  ) : (
                    item.description
                  )}
                </p>
                <time dateTime={item.timestamp} className="text-[0.8125rem] text-muted tabular">
                  {formatZoned(item.timestamp, browserTimezone())}
                </time>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
