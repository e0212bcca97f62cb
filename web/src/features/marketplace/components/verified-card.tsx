import { useState } from 'react';
import { Table } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned, formatIn } from '@/lib/dates';
import { formatCount, formatMoney, toMajor } from '@/lib/format';
import { VerificationBadge } from './badges';
import { formatDifference, formatPrice, formatSum, formatTraffic } from '../lib/format';
import type { ListingInFull, Verified, VerifiedMonth } from '../lib/types';

type Checked = Pick<
  ListingInFull,
  'verification' | 'verificationNote' | 'verificationStatus' | 'monthlyTraffic' | 'monthlyRevenue'
>;

/** What the website's own log says, beside what the seller says. */
export function VerifiedCard({
  listing,
  title = 'Verification',
}: {
  readonly listing: Checked;
  readonly title?: string;
}) {
  const { verification } = listing;
  return (
    <Card
      title={title}
      description={
        verification
          ? `Calculated from the website’s tracking data on ${formatZoned(verification.asOf, browserTimezone())}`
          : undefined
      }
      actions={<VerificationBadge status={listing.verificationStatus} />}
    >
      {verification ? (
        <Measured listing={listing} verification={verification} />
      ) : (
        <p className="text-muted">{PENDING[listing.verificationNote ?? 'none']}</p>
      )}
    </Card>
  );
}

const PENDING = {
  none: 'These numbers come from the seller and are not verified.',
  asked: 'The seller requested verification. It is in progress.',
  no_website: 'Not verifiable: the seller does not track this website here.',
  no_whole_month: 'Not verifiable yet: needs one full month of tracking. Imported and backfilled events do not count.',
  domain_not_proven: 'Not verifiable yet: the seller has not proven ownership of the domain by DNS.',
} as const;

const monthName = (month: string, style: 'short' | 'long') =>
  formatIn(month, 'UTC', style === 'short' ? { month: 'short' } : { month: 'long', year: 'numeric' });

function Measured({ listing, verification }: { readonly listing: Checked; readonly verification: Verified }) {
  const [asTable, setAsTable] = useState(false);
  const { months } = verification;
  const currency = months[0]?.revenue.currency ?? 'USD';
  return (
    <div className="flex flex-col gap-6">
      <p className="text-[0.8125rem] text-muted">
        {`“Verified” means that the seller’s numbers are at most ${verification.tolerancePercent}% above what was measured.`}
      </p>
      <Proven verification={verification} />
      <dl className="grid gap-3 sm:grid-cols-2">
        <Compared
          name="Monthly traffic"
          claimed={formatTraffic(listing.monthlyTraffic)}
          measured={formatTraffic(verification.monthlyTraffic)}
          difference={verification.trafficDifference}
          overstated={verification.trafficOverstated}
        />
        <Compared
          name="Monthly revenue"
          claimed={formatPrice(listing.monthlyRevenue)}
          difference={verification.revenueDifference}
          overstated={verification.revenueOverstated}
          measured={verification.monthlyRevenue ? formatSum(verification.monthlyRevenue) : 'No exchange rate'}
        />
      </dl>
      <div>
        <div className="mb-3 flex items-center justify-between gap-3">
          <h3 className="font-semibold">{`Last ${months.length} ${months.length === 1 ? 'month' : 'months'}`}</h3>
          <Button size="sm" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </div>
        {asTable ? (
          <Table
            caption="Verified months"
            rows={months}
            rowKey={(row) => row.month}
            columns={[
              { id: 'month', header: 'Month', cell: (row: VerifiedMonth) => monthName(row.month, 'long') },
              { id: 'visitors', header: 'Visitors', cell: (row) => formatCount(row.visitors), numeric: true },
              { id: 'pageviews', header: 'Page views', cell: (row) => formatCount(row.pageviews), numeric: true },
              { id: 'revenue', header: 'Revenue', cell: (row) => formatSum(row.revenue), numeric: true },
            ]}
          />
        ) : (
          <div className="grid gap-6 lg:grid-cols-2">
            <MonthBars
              title="Visitors"
              color="bg-chart-1"
              months={months}
              value={(month) => month.visitors}
              shown={formatCount}
              average={verification.monthlyTraffic}
            />
            <MonthBars
              title="Revenue"
              color="bg-chart-2"
              months={months}
              value={(month) => toMajor(month.revenue)}
              shown={(value) => formatMoney(value, currency, 0)}
              average={months.reduce((sum, month) => sum + toMajor(month.revenue), 0) / Math.max(months.length, 1)}
            />
          </div>
        )}
      </div>
    </div>
  );
}

const percent = (share: number) => `${share}%`;

/** What the badge verifies: domain ownership and the share of tracked data. */
function Proven({ verification }: { readonly verification: Verified }) {
  const { provenDomain, share } = verification;
  const lines = [
    ['Proven domain', `${provenDomain} (DNS record found)`],
    ['Months of data', `${share.months} of ${share.monthsInLog} with data`],
    ['Tracked page views', percent(share.traffic)],
    ['Tracked revenue', share.revenue === null ? 'No revenue' : percent(share.revenue)],
  ] as const;
  return (
    <div>
      <dl className="grid gap-x-6 gap-y-1 text-[0.8125rem] sm:grid-cols-2">
        {lines.map(([name, value]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-3">
            <dt className="text-muted">{name}</dt>
            <dd className="font-medium tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {(share.traffic < 100 || (share.revenue ?? 100) < 100) && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          The rest was imported or backfilled by the seller and is excluded from these numbers.
        </p>
      )}
    </div>
  );
}

interface ComparedProps {
  readonly name: string;
  readonly claimed: string;
  readonly measured: string;
  readonly difference: number | null;
  readonly overstated: boolean;
}

/** An overstatement is never good: within the tolerance it is unmarked, above it is bad. */
const toneOf = (difference: number, overstated: boolean): string =>
  overstated ? 'text-bad' : difference <= 0 ? 'text-good' : 'text-muted';

function Compared({ name, claimed, measured, difference, overstated }: ComparedProps) {
  return (
    <div className="rounded-lg bg-sunken/60 p-3">
      <dt className="text-[0.8125rem] text-muted">{name}</dt>
      <dd className="mt-1 flex flex-wrap items-baseline gap-x-2">
        <span className="text-lg font-semibold tabular">{measured}</span>
        <span className="text-[0.8125rem] text-muted">measured</span>
      </dd>
      <dd className="text-[0.8125rem]">
        <span className="text-muted">{`Seller says ${claimed} `}</span>
        {difference !== null && (
          <span
            className={cx('font-medium whitespace-nowrap', toneOf(difference, overstated))}
          >{`(${formatDifference(difference)})`}</span>
        )}
      </dd>
    </div>
  );
}

interface BarsProps {
  readonly title: string;
  readonly color: string;
  readonly months: readonly VerifiedMonth[];
  readonly value: (month: VerifiedMonth) => number;
  readonly shown: (value: number) => string;
  readonly average: number;
}

/** Bars in plain boxes: a public page does without the charts' code. The table says the same. */
function MonthBars({ title, color, months, value, shown, average }: BarsProps) {
  const most = Math.max(0, ...months.map(value));
  const top = most || 1;
  const share = (part: number) => `${Math.max((part / top) * 100, 0)}%`;
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3 text-[0.8125rem]">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{`average ${shown(Math.round(average))}, highest ${shown(most)}`}</span>
      </figcaption>
      <div
        role="img"
        aria-label={`${title} by month: ${months.map((month) => `${monthName(month.month, 'long')} ${shown(value(month))}`).join(', ')}`}
      >
        <div className="relative flex h-36 items-end gap-1 border-b border-line">
          <div
            className="absolute inset-x-0 border-t border-dashed border-line-strong"
            style={{ bottom: share(Math.min(average, top)) }}
          />
          {months.map((month) => (
            <div
              key={month.month}
              title={`${monthName(month.month, 'long')}: ${shown(value(month))}`}
              className="flex h-full flex-1 items-end justify-center"
            >
              <div className={cx('w-full max-w-10 rounded-t-sm', color)} style={{ height: share(value(month)) }} />
            </div>
          ))}
        </div>
        <div className="mt-1 flex gap-1 text-[0.6875rem] text-muted">
          {months.map((month, index) => (
            <span
              key={month.month}
              className={cx(
                'flex min-w-0 flex-1 justify-center whitespace-nowrap',
                months.length > 6 && index % 2 === 1 && 'max-sm:invisible',
              )}
            >
              {monthName(month.month, 'short')}
            </span>
          ))}
        </div>
      </div>
    </figure>
  );
}
