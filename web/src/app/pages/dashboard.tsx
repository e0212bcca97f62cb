import { useQuery, type QueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy } from 'react';
import { Below } from '@/components/data/below';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { isFirstVisit } from '@/lib/session/first-visit';
import { textOf, type FlatSearch } from '@/lib/url/search';
import { useSession } from '@/lib/session';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { KpiCards } from '@/features/analytics/components/kpi-cards';
import { finished } from '@/features/analytics/lib/periods';
import { clicksQuery, overviewQuery, paramsOf } from '@/features/analytics/api/analytics';
import { DEFAULT_STATE } from '@/features/analytics/lib/search';
import { useLiveRefresh } from '@/features/analytics/hooks/use-live-refresh';
import { LatestConversions } from '@/features/conversions/components/latest-conversions';
import { LinksCard } from '@/features/links/components/links-card';
import { openAlertsQuery } from '@/features/notifications/api/alerts';
import { OpenAlerts } from '@/features/notifications/components/open-alerts';
import { Unattributed } from './unattributed';
import { NoWebsites } from './no-websites';
import { Page } from './page';
import { Pinned } from './pinned';
import { StartSteps, takeStepReads } from './start-steps';

const LatestInsights = lazy(() =>
  import('@/features/insights/components/insights-card').then((module) => ({ default: module.LatestInsights })),
);
const InsightActions = lazy(() => import('./insight-actions').then((module) => ({ default: module.InsightActions })));

/** The choice of all websites; no website has this id. */
const ALL = 'all';

const PERIOD = { range: '30d', from: null, to: null } as const;

/** Fills the cache from the early reads. */
export async function takeReads(client: QueryClient, search: FlatSearch): Promise<void> {
  const website = shownWebsite(await client.ensureQueryData(websitesQuery), textOf(search['website']));
  if (!website) return;
  const params = paramsOf(website.id, PERIOD, DEFAULT_STATE);
  await Promise.all([
    client.ensureQueryData(overviewQuery(params, 'previous')),
    client.ensureQueryData(clicksQuery(params)),
    client.ensureQueryData(openAlertsQuery(website.id)),
    client.ensureQueryData(partnersQuery),
    takeStepReads(client, website.id),
  ]);
}

const shownWebsite = (websites: readonly Website[] | undefined, wanted: string | undefined): Website | undefined =>
  websites?.find((item) => item.id === wanted) ?? websites?.[0];

export function DashboardPage() {
  const navigate = useNavigate();
  const session = useSession();
  const wanted = textOf(useSearch({ from: '/member/dashboard' })['website']);
  const websites = useQuery(websitesQuery);
  const website = shownWebsite(websites.data, wanted);
  const subtitle = session
    ? `${isFirstVisit(session.user.id) ? 'Welcome' : 'Welcome back'}, ${session.user.name}`
    : 'Welcome back';
  return (
    <Page
      title="Dashboard"
      subtitle={subtitle}
      tools={
        website ? (
          <div className="flex flex-wrap gap-2">
            <Select
              label="Website"
              className="min-w-0 flex-1 basis-40 lg:hidden"
              value={website.id}
              onChange={({ target }) =>
                void (target.value === ALL
                  ? navigate({ to: '/websites' })
                  : navigate({ to: '/dashboard', search: { website: target.value } }))
              }
            >
              {(websites.data?.length ?? 0) > 1 && <option value={ALL}>All websites</option>}
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Link to="/analytics" search={{ website: website.id }} className={buttonClass({ variant: 'primary' })}>
              Open Analytics
            </Link>
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} prefix="Error loading analytics" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Overview key={website.id} website={website} />
      ) : (
        <div className="flex flex-col gap-4 sm:gap-5">
          <NoWebsites />
          <StartSteps website={undefined} seen={false} />
        </div>
      )}
    </Page>
  );
}

function Overview({ website }: { readonly website: Website }) {
  const params = paramsOf(website.id, PERIOD, DEFAULT_STATE);
  const overview = useQuery(overviewQuery(params, 'previous'));
  const clicks = useQuery(clicksQuery(params));
  const alerts = useQuery(openAlertsQuery(website.id));
  useLiveRefresh(website.id, true);
  const figures = overview.data?.data;
  const settled = overview.isFetched && !alerts.isPending;
  const seen = overview.error && !figures ? false : figures && figures.pageviews + figures.clicks.total > 0;
  const days = clicks.data && finished(PERIOD, clicks.data.data, website.timezone, new Date());
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      {overview.error && !figures ? (
        <ErrorBox error={overview.error} prefix="Error loading analytics" onRetry={() => void overview.refetch()} />
      ) : (
        <KpiCards overview={figures} points={days ?? []} compare="previous" />
      )}
      <p className="-mt-1 text-[0.8125rem] text-muted">
        Last 30 days, each compared with the 30 days before, in {website.timezone}.{' '}
        <Unattributed website={website} period={{ range: '30d', from: null, to: null }} />
      </p>
      {/* What follows waits for the alerts above it, so that it does not move. */}
      <OpenAlerts alerts={alerts.data ?? []} names={false} />
      <div className={alerts.isPending ? 'hidden' : 'contents'}>
        {/* The steps stand above the rest or not at all: until that is known, nothing stands where it would have to move. */}
        <StartSteps website={website} seen={seen}>
          <Below now={settled} height="min-h-44">
            <LatestInsights
              website={website}
              hasData={website.firstEventAt ? true : overview.error ? undefined : seen}
              actions={(insight) => <InsightActions website={website.id} insight={insight} />}
            />
          </Below>
          <div className="grid gap-4 sm:gap-5 xl:grid-cols-2">
            <Below now={settled} height="min-h-96">
              <LatestConversions
                website={website}
                more={
                  <Link to="/conversions" search={{ website: website.id }} className={buttonClass({ size: 'sm' })}>
                    View all
                  </Link>
                }
              />
            </Below>
            <Below now={settled} height="min-h-96">
              <LinksCard
                website={website}
                more={
                  <Link
                    to="/links"
                    search={{ website: website.id }}
                    className={buttonClass({ size: 'sm', variant: 'ghost' })}
                  >
                    All links
                  </Link>
                }
              />
            </Below>
          </div>
          <Pinned />
        </StartSteps>
      </div>
    </div>
  );
}
