import { Link } from '@tanstack/react-router';
import { isFirstVisit } from '@/lib/session/first-visit';
import { useSession } from '@/lib/session';
import { DEFAULT_STATE, writeState, type Dimension, type Range } from '@/features/analytics/lib/search';
import { named } from '@/features/analytics/lib/values';
import { OpenItemsCard } from '@/features/conversions/components/open-items-card';
import type { Mover, Period } from '@/features/websites/api/summary';
import { AllWebsites } from '@/features/websites/components/all-websites';
import { MoversCard } from '@/features/websites/components/movers-card';
import { NoWebsites } from './no-websites';
import { Page } from './page';
import { Pinned } from './pinned';
import { textLink } from './text-link';

/** The start page of a person with several websites: their money, what moved it, and what waits. */
export function WebsitesPage() {
  const session = useSession();
  const welcome = session && isFirstVisit(session.user.id) ? 'Welcome' : 'Welcome back';
  return (
    <Page title="Dashboard" subtitle={session ? `${welcome}, ${session.user.name}` : welcome}>
      <AllWebsites
        none={<NoWebsites />}
        link={(website) => (
          <Link to="/dashboard" search={{ website: website.websiteId }} className={textLink}>
            {website.domain}
          </Link>
        )}
      >
        {(currency) => (
          <div className="grid gap-4 sm:gap-5 xl:grid-cols-[3fr_2fr]">
            <MoversCard
              currency={currency}
              link={(by, row, period) => (
                <Link to="/analytics" search={causeOf(by, row, period)} className={textLink}>
                  {row.label}
                </Link>
              )}
            />
            <OpenItemsCard
              currency={currency}
              pending={({ websiteId, domain }, text) => (
                <Link
                  to="/conversions"
                  search={{ website: websiteId, status: 'pending' }}
                  aria-label={`Pending conversions of ${domain}: ${text}`}
                  className={textLink}
                >
                  {text}
                </Link>
              )}
              owed={({ websiteId, domain }, text) => (
                <Link
                  to="/payouts"
                  search={{ website: websiteId }}
                  aria-label={`Payouts owed to ${domain}: ${text}`}
                  className={textLink}
                >
                  {text}
                </Link>
              )}
            />
          </div>
        )}
      </AllWebsites>
      <div className="mt-4 empty:hidden sm:mt-5">
        <Pinned />
      </div>
    </Page>
  );
}

const RANGES: Readonly<Record<Period, Range>> = {
  today: 'today',
  yesterday: 'yesterday',
  week: 'this_week',
  month: 'this_month',
  quarter: 'this_quarter',
};

/** The page of analytics for this value and period, compared as here: with the same day of the week. */
const causeOf = (by: string, row: Mover, period: Period) =>
  writeState({
    ...DEFAULT_STATE,
    website: row.websiteId,
    range: RANGES[period],
    matchWeekdays: period === 'today' || period === 'yesterday',
    filters: [{ dimension: by as Dimension, operator: 'is', values: [named(row.value)] }],
    metric: 'revenue',
  });
