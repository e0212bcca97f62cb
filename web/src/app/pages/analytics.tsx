import { useInfiniteQuery, useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { preloadCharts, useAfterCharts } from '@/components/charts/lazy';
import { Boundary } from '@/components/data/boundary';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { ErrorBox, Loading } from '@/components/data/states';
import type { Website } from '@/lib/api/types';
import { partnersQuery, websitesQuery } from '@/lib/shared-queries';
import { useCommands } from '@/stores/commands';
import { toast } from '@/stores/toasts';
import { FilterBar } from '@/features/analytics/components/filter-bar';
import { FreshnessLabel } from '@/features/analytics/components/freshness';
import { GeoCard } from '@/features/analytics/components/geo-card';
import { StatStrip, KpiCards } from '@/features/analytics/components/kpi-cards';
import { PartnerCard } from '@/features/analytics/components/partner-card';
import { fileName, finished } from '@/features/analytics/lib/periods';
import {
  clicksQuery,
  geographicQuery,
  overviewQuery,
  paramsOf,
  partnerPerformanceQuery,
  refreshWebsite,
} from '@/features/analytics/api/analytics';
import {
  COMPARISONS,
  readState,
  onlyReason,
  toggleFilter,
  writeState,
  type AnalyticsState,
} from '@/features/analytics/lib/search';
import { Toolbar } from '@/features/analytics/components/toolbar';
import { TrendCard } from '@/features/analytics/components/trend-card';
import { useLiveRefresh } from '@/features/analytics/hooks/use-live-refresh';
import { linksQuery } from '@/features/links/api/links';
import { InsightLink } from './insight-link';
import { NoWebsites } from './no-websites';
import { Page } from './page';

// Cards below the fold are fetched after the charts.
const DeliveryCard = lazy(() =>
  import('@/features/analytics/components/delivery-card').then((module) => ({ default: module.DeliveryCard })),
);
const ExcludedTrafficCard = lazy(() =>
  import('@/features/analytics/components/excluded-traffic-card').then((module) => ({
    default: module.ExcludedTrafficCard,
  })),
);
const StatusBars = lazy(() =>
  import('@/features/analytics/components/status-bars').then((module) => ({ default: module.StatusBars })),
);
const ConversionsCard = lazy(() =>
  import('@/features/conversions/components/conversions-card').then((module) => ({ default: module.ConversionsCard })),
);
const InsightsCard = lazy(() =>
  import('@/features/insights/components/insights-card').then((module) => ({ default: module.InsightsCard })),
);
const LiveCard = lazy(() =>
  import('@/features/analytics/components/live-card').then((module) => ({ default: module.LiveCard })),
);

const TITLE = 'Analytics Dashboard';
const SUBTITLE = 'Track performance across your affiliate campaigns';

/** Glue between the address and the page. */
export function AnalyticsRoute() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/analytics' });
  return (
    <AnalyticsPage
      state={readState(search)}
      onChange={(state) => void navigate({ to: '/analytics', search: writeState(state), resetScroll: false })}
    />
  );
}

interface Props {
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
}

export function AnalyticsPage({ state, onChange }: Props) {
  const websites = useQuery(websitesQuery);
  useEffect(preloadCharts, []);
  const website = websites.data?.find((item) => item.id === state.website) ?? websites.data?.[0];
  if (websites.data && website)
    return <WebsiteAnalytics websites={websites.data} website={website} state={state} onChange={onChange} />;
  return (
    <Page title={TITLE} subtitle={SUBTITLE}>
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading analytics" onRetry={() => void websites.refetch()} />
      ) : websites.data ? (
        <NoWebsites />
      ) : (
        <Loading label="Loading websites" />
      )}
    </Page>
  );
}

interface WebsiteProps extends Props {
  readonly websites: readonly Website[];
  readonly website: Website;
}

function WebsiteAnalytics({ websites, website, state, onChange }: WebsiteProps) {
  const client = useQueryClient();
  const [customOpen, setCustomOpen] = useState(false);
  const [refreshing, setRefreshing] = useState(false);
  const params = paramsOf(website.id, state, state);
  const overview = useQuery(overviewQuery(params, state.compare));
  const clicks = useQuery(clicksQuery(params));
  const partners = useQuery(partnersQuery);
  const links = useInfiniteQuery(linksQuery(website.id));
  const later = useAfterCharts();
  const performance = useQuery(partnerPerformanceQuery(params));
  const geographic = useQuery(geographicQuery(params));
  const firstLoad =
    useIsFetching({ queryKey: ['analytics'], predicate: (query) => query.state.data === undefined }) > 0;
  useLiveRefresh(website.id, state.range !== 'custom');

  const failure = [overview, clicks, performance, geographic].find((query) => query.error)?.error;
  const [pickPartner, pickCountry] = usePicks(state, onChange);
  const refresh = async () => {
    setRefreshing(true);
    await refreshWebsite(client, website.id);
    setRefreshing(false);
    const failed = client
      .getQueryCache()
      .findAll({ queryKey: ['analytics'], type: 'active' })
      .some((query) => query.state.status === 'error');
    if (!failed) toast('Analytics refreshed', 'Your data has been updated');
  };
  usePageCommands({ state, onChange, refresh: () => void refresh(), openDates: () => setCustomOpen(true) });

  const included = state.filters.find(
    (filter) => filter.dimension === 'partner' && !filter.not && filter.values.length === 1,
  );
  return (
    <Page
      title={TITLE}
      subtitle={SUBTITLE}
      tools={
        <Toolbar
          websites={websites}
          website={website}
          state={state}
          onChange={onChange}
          onRefresh={() => void refresh()}
          refreshing={refreshing || firstLoad}
          customOpen={customOpen}
          onCustomOpen={setCustomOpen}
        />
      }
    >
      <div className="flex flex-col gap-4 sm:gap-5">
        <div className="flex flex-col gap-3 md:flex-row md:items-center md:justify-between">
          <FilterBar
            state={state}
            onChange={onChange}
            partners={partners.data ?? []}
            links={links.data?.pages.flatMap((page) => page.data) ?? []}
          />
          <FreshnessLabel freshness={overview.data?.freshness} timezone={website.timezone} />
        </div>
        {failure && (
          <ErrorBox
            error={failure}
            prefix="Error loading analytics"
            onRetry={() => void refreshWebsite(client, website.id)}
          />
        )}
        <KpiCards
          overview={overview.data?.data}
          points={finished(state, clicks.data?.data ?? [], website.timezone, new Date())}
          compare={state.compare}
          failed={overview.isError}
        />
        <StatStrip overview={overview.data?.data} compare={state.compare} failed={overview.isError} />
        <TrendCard website={website} state={state} onChange={onChange} />
        <div className="grid gap-4 sm:gap-5 lg:grid-cols-2">
          <PartnerCard
            params={params}
            currency={website.currency}
            file={fileName(website.domain, state, 'partners')}
            onPick={pickPartner}
          />
          <GeoCard
            params={params}
            currency={website.currency}
            file={fileName(website.domain, state, 'countries')}
            onPick={pickCountry}
          />
          <Below now={later} height="min-h-64 lg:col-span-2">
            <InsightsCard
              key={website.id}
              website={website}
              look={(insight) => <InsightLink website={website.id} insight={insight} />}
              className="lg:col-span-2"
            />
          </Below>
          <Below now={later}>
            <LiveCard website={website} onPickCountry={pickCountry} />
          </Below>
          <Below now={later}>
            <DeliveryCard website={website} period={state} />
          </Below>
          <Below now={later} height="min-h-64 lg:col-span-2">
            <ExcludedTrafficCard
              website={website}
              filters={state.filters}
              params={params}
              file={fileName(website.domain, state, 'kept-apart')}
              className="lg:col-span-2"
              onPick={(reason) => onChange(onlyReason(state, reason))}
            />
          </Below>
        </div>
        <Below now={later}>
          <ConversionsCard
            website={website}
            status={state.status}
            onStatus={(status) => onChange({ ...state, status })}
            partnerId={included?.values[0] ?? null}
            onPickPartner={pickPartner}
            chart={<StatusBars params={params} timezone={website.timezone} />}
          />
        </Below>
      </div>
    </Page>
  );
}

/** A lazy card with a placeholder of its size. */
function Below({
  now,
  height = 'min-h-[34rem]',
  children,
}: {
  readonly now: boolean;
  readonly height?: string;
  readonly children: ReactNode;
}) {
  const place = <div aria-hidden className={cx(surface, height)} />;
  if (!now) return place;
  return (
    <Boundary fallback={<ErrorBox error={new Error('This part could not be loaded. Please reload the page.')} />}>
      <Suspense fallback={place}>{children}</Suspense>
    </Boundary>
  );
}

/** The same two functions for as long as the page lives, so that charts which hold them are not drawn again. */
function usePicks(state: AnalyticsState, onChange: Props['onChange']) {
  const latest = useRef({ state, onChange });
  useEffect(() => {
    latest.current = { state, onChange };
  });
  const pick = (dimension: 'partner' | 'country', value: string) =>
    latest.current.onChange(toggleFilter(latest.current.state, dimension, value));
  return [
    useCallback((id: string) => pick('partner', id), []),
    useCallback((code: string) => pick('country', code), []),
  ] as const;
}

interface CommandProps extends Props {
  readonly refresh: () => void;
  readonly openDates: () => void;
}

function usePageCommands({ state, onChange, refresh, openDates }: CommandProps): void {
  const range = (value: '24h' | '7d' | '30d') => () => onChange({ ...state, range: value, from: null, to: null });
  const nextComparison = COMPARISONS[(COMPARISONS.indexOf(state.compare) + 1) % COMPARISONS.length] ?? 'previous';
  const group = 'Analytics';
  useCommands([
    { id: 'range-24h', title: 'Last 24h', group, keys: 'd', run: range('24h') },
    { id: 'range-7d', title: 'Last 7 days', group, keys: 'w', run: range('7d') },
    { id: 'range-30d', title: 'Last 30 days', group, keys: 't', run: range('30d') },
    { id: 'range-custom', title: 'Custom range', group, keys: 'c', run: openDates },
    {
      id: 'compare',
      title: 'Next comparison',
      group,
      keys: 'x',
      run: () => onChange({ ...state, compare: nextComparison }),
    },
    { id: 'refresh', title: 'Refresh', group, keys: 'r', run: refresh },
    {
      id: 'clear-filters',
      title: 'Clear filters',
      group,
      keys: 'Escape',
      run: () => {
        if (state.filters.length > 0) onChange({ ...state, filters: [] });
      },
    },
  ]);
}
