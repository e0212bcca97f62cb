import { useIsFetching, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { PageFailure } from '@/components/charts/page-failure';
import { Below } from '@/components/data/below';
import { Boundary } from '@/components/data/boundary';
import { Button, buttonClass } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { useIsPhone } from '@/lib/browser/media';
import { ErrorBox, Loading } from '@/components/data/states';
import type { Website } from '@/lib/api/types';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { useCommands } from '@/stores/commands';
import { toast } from '@/stores/toasts';
import {
  BarMetric,
  BreakdownCard,
  BreakdownOnPhone,
  type BreakdownContext,
} from '@/features/analytics/components/breakdown-card';
import { FilterBar } from '@/features/analytics/components/filter-bar';
import { FreshnessLabel } from '@/features/analytics/components/freshness';
import { MainCard } from '@/features/analytics/components/main-card';
import { GROUPS } from '@/features/analytics/lib/breakdown-groups';
import type { Named } from '@/features/analytics/lib/dimensions';
import type { EventsRequest } from '@/features/analytics/lib/events';
import { fileName } from '@/features/analytics/lib/periods';
import { overviewQuery, paramsOf, refreshWebsite, usedDimensionsQuery } from '@/features/analytics/api/analytics';
import {
  rangeFault,
  readState,
  onlyReason,
  toggleFilter,
  withFilter,
  writeState,
  type AnalyticsState,
  type Dimension,
  type Filter,
} from '@/features/analytics/lib/search';
import { named as nameOfValue } from '@/features/analytics/lib/values';
import { nextComparison } from '@/features/analytics/lib/comparison';
import { RANGE_LABELS } from '@/features/analytics/lib/ranges';
import { Toolbar, type CalendarFor } from '@/features/analytics/components/toolbar';
import { INITIAL_BARS, useBarMetric } from '@/features/analytics/hooks/use-layout';
import { readPage, usePageCalls } from '@/features/analytics/hooks/use-page-calls';
import { metricName } from '@/features/analytics/lib/metrics';
import { DEFAULT_VIEW, OPEN } from '@/features/analytics/lib/open-view';
import { viewsQuery } from '@/features/analytics/api/views';
import { textOf, type FlatSearch } from '@/lib/url/search';
import { useLiveRefresh } from '@/features/analytics/hooks/use-live-refresh';
import { linksQuery } from '@/features/links/api/links';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const Unattributed = lazy(() => import('./unattributed').then((module) => ({ default: module.Unattributed })));
// Cards below the first view are fetched after it.
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
const MoreNumbers = lazy(() =>
  import('@/features/analytics/components/more-numbers').then((module) => ({ default: module.MoreNumbers })),
);
const InsightsCard = lazy(() =>
  import('@/features/insights/components/insights-card').then((module) => ({ default: module.InsightsCard })),
);
const InsightActions = lazy(() => import('./insight-actions').then((module) => ({ default: module.InsightActions })));
const BreakdownDialog = lazy(() =>
  import('@/features/analytics/components/breakdown-dialog').then((module) => ({ default: module.BreakdownDialog })),
);
const EventsDrawer = lazy(() =>
  import('@/features/analytics/components/events-drawer').then((module) => ({ default: module.EventsDrawer })),
);
const PartnerCard = lazy(() =>
  import('@/features/analytics/components/partner-card').then((module) => ({ default: module.PartnerCard })),
);
const TrendCard = lazy(() =>
  import('@/features/analytics/components/trend-card').then((module) => ({ default: module.TrendCard })),
);
const GeoCard = lazy(() =>
  import('@/features/analytics/components/geo-card').then((module) => ({ default: module.GeoCard })),
);
const loadOpenView = () =>
  import('@/features/analytics/components/open-view').then((module) => ({ default: module.OpenView }));
const OpenView = lazy(loadOpenView);
const ViewsButton = lazy(() =>
  import('@/features/analytics/components/views-button').then((module) => ({ default: module.ViewsButton })),
);
const LiveCard = lazy(() =>
  import('@/features/analytics/components/live-card').then((module) => ({ default: module.LiveCard })),
);

const TITLE = 'Analytics Dashboard';
const SUBTITLE = 'Track performance across your affiliate campaigns';

/** Fills the cache from the early reads. */
export async function takeReads(client: QueryClient, search: FlatSearch): Promise<void> {
  const state = readState(search);
  const website = shownWebsite(await client.ensureQueryData(websitesQuery), state);
  if (!website) return;
  const [views] = await Promise.all([
    client.ensureQueryData(viewsQuery(website.id)),
    client.ensureQueryData(partnersQuery),
    loadOpenView(),
  ]);
  const opens = textOf(search[OPEN]);
  if (opens && (opens !== DEFAULT_VIEW || views.some((view) => view.isDefault))) return;
  // What will be shown is known: its numbers come while the page is drawn.
  readPage(client, paramsOf(website.id, state, state), state);
}

const shownWebsite = (websites: readonly Website[] | undefined, { website }: AnalyticsState): Website | undefined =>
  websites?.find((item) => item.id === website) ?? websites?.[0];

/** Glue between the address and the page. */
export function AnalyticsRoute() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/analytics' });
  return (
    <AnalyticsPage
      state={readState(search)}
      fault={rangeFault(search)}
      opens={textOf(search[OPEN]) ?? null}
      onChange={(state, replace = false) =>
        void navigate({ to: '/analytics', search: writeState(state), resetScroll: false, replace })
      }
    />
  );
}

interface Props {
  readonly state: AnalyticsState;
  /** `replace`: no step of the history. */
  readonly onChange: (state: AnalyticsState, replace?: boolean) => void;
}

interface PageProps extends Props {
  /** What of the address could not be read. */
  readonly fault: string | null;
}

interface RouteProps extends PageProps {
  /** The id of the view to open, or `default`: the website's; null: the address says what is shown. */
  readonly opens: string | null;
}

export function AnalyticsPage({ state, fault, opens, onChange }: RouteProps) {
  const websites = useQuery(websitesQuery);
  const website = shownWebsite(websites.data, state);
  if (websites.data && website && !opens)
    return (
      <WebsiteAnalytics websites={websites.data} website={website} state={state} fault={fault} onChange={onChange} />
    );
  return (
    <Page title={TITLE} subtitle={SUBTITLE}>
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading analytics" onRetry={() => void websites.refetch()} />
      ) : websites.data && !website ? (
        <NoWebsites />
      ) : website && opens ? (
        <Boundary fallback={<ErrorBox error={new Error('This part could not be loaded. Please reload the page.')} />}>
          <Suspense fallback={<Loading label="Opening the view" />}>
            <OpenView websiteId={website.id} state={state} opens={opens} onChange={onChange} />
          </Suspense>
        </Boundary>
      ) : (
        <Loading label="Loading websites" />
      )}
    </Page>
  );
}

interface WebsiteProps extends PageProps {
  readonly websites: readonly Website[];
  readonly website: Website;
}

function WebsiteAnalytics({ websites, website, state, fault, onChange }: WebsiteProps) {
  const client = useQueryClient();
  const [calendar, setCalendar] = useState<CalendarFor | null>(null);
  const [events, setEvents] = useState<EventsRequest | null>(null);
  const [refreshing, setRefreshing] = useState(false);
  const params = paramsOf(website.id, state, state);
  const overview = useQuery(overviewQuery(params, state));
  const everything = paramsOf(website.id, state, { ...state, filters: [] });
  usePageCalls(params, state);
  const used = useQuery(usedDimensionsQuery(everything));
  const partners = useQuery(partnersQuery);
  const links = useCursorQuery(linksQuery(website.id));
  const firstLoad =
    useIsFetching({ queryKey: ['analytics'], predicate: (query) => query.state.data === undefined }) > 0;
  const later = useOnce(overview.isFetched && !firstLoad);
  useLiveRefresh(website.id, state.range !== 'custom');

  const [pickPartner, pickCountry, pick] = usePicks(state, onChange);
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
  usePageCommands({ state, onChange, refresh: () => void refresh(), openDates: () => setCalendar('range') });

  const named = { partners: partners.data ?? [], links: links.rows ?? [] };
  return (
    <Page
      title={TITLE}
      subtitle={SUBTITLE}
      tools={
        <FreshnessLabel
          freshness={overview.data?.freshness}
          lastEventAt={overview.data?.data.lastEventAt}
          timezone={website.timezone}
        />
      }
    >
      <PageFailure value={overview.isError && !overview.data}>
        <div className="flex flex-col gap-4 sm:gap-5">
          {/* What is chosen stays in view: the toolbar and, below it, the filters in force. */}
          <div className="sticky top-14 z-sticky -mx-4 flex flex-col gap-2 border-b border-line bg-canvas px-4 py-2 sm:-mx-6 sm:px-6 xl:flex-row xl:flex-wrap xl:items-center">
            <Toolbar
              websites={websites}
              website={website}
              state={state}
              shown={overview.isPlaceholderData ? undefined : overview.data?.data.range}
              onChange={onChange}
              onRefresh={() => void refresh()}
              refreshing={refreshing || firstLoad}
              calendar={calendar}
              onCalendar={setCalendar}
            />
            <FilterBar state={state} onChange={onChange} params={everything} named={named}>
              <Boundary fallback={null}>
                <Suspense fallback={<span aria-hidden className="h-8 w-20 rounded-lg border border-line" />}>
                  <ViewsButton website={website} state={state} onChange={onChange} />
                </Suspense>
              </Boundary>
            </FilterBar>
          </div>
          {fault && (
            <p role="alert" className="rounded-lg bg-warn-soft px-3 py-1.5 text-[0.8125rem] text-warn">
              {fault} Showing {RANGE_LABELS[state.range]}.
            </p>
          )}
          {overview.error && (
            <ErrorBox
              error={overview.error}
              prefix="Error loading analytics"
              onRetry={() => void refreshWebsite(client, website.id)}
            />
          )}
          <MainCard
            website={website}
            state={state}
            onChange={onChange}
            overview={overview.data?.data}
            updatedAt={overview.dataUpdatedAt}
            fetching={overview.isFetching}
            failed={overview.isError}
            onEvents={setEvents}
          />
          <Breakdowns
            website={website}
            params={params}
            state={state}
            onChange={onChange}
            named={named}
            // Tabs come once it is known that they have data: one that goes would move what a person is about to click.
            used={used.error ? null : (used.data?.data ?? [])}
            onEvents={setEvents}
            later={later}
            hint={
              overview.data && (
                <Suspense>
                  <Unattributed
                    website={website}
                    period={{ range: null, from: overview.data.data.range.from, to: overview.data.data.range.to }}
                  />
                </Suspense>
              )
            }
          />
          {events && (
            <Boundary fallback={null}>
              <Suspense fallback={null}>
                <EventsDrawer
                  title={events.title}
                  of={events.of}
                  params={paramsOf(website.id, events.period, { ...state, filters: events.filters })}
                  currency={website.currency}
                  timezone={website.timezone}
                  named={named}
                  onClose={() => setEvents(null)}
                />
              </Suspense>
            </Boundary>
          )}
          <div className="grid gap-4 sm:gap-5 lg:grid-cols-2">
            <Below now={later} height="min-h-96">
              <LiveCard website={website} onPick={pick} />
            </Below>
            <Below now={later} height="min-h-96">
              <InsightsCard
                key={website.id}
                website={website}
                actions={(insight) => <InsightActions website={website.id} insight={insight} />}
              />
            </Below>
            <FoldedOnPhone title="Data quality">
              <Below now={later} height="min-h-96" className="lg:col-span-2">
                <DeliveryCard website={website} period={state} />
              </Below>
              <Below now={later} height="min-h-64" className="lg:col-span-2">
                <ExcludedTrafficCard
                  website={website}
                  filters={state.filters}
                  params={params}
                  file={fileName(website.domain, state, 'excluded-traffic')}
                  onPick={(reason) => onChange(onlyReason(state, reason))}
                />
              </Below>
            </FoldedOnPhone>
          </div>
          <section aria-labelledby="charts" className="flex flex-col gap-3">
            <h2 id="charts" className="text-[0.9375rem] font-semibold">
              Charts
            </h2>
            <div className="grid gap-4 sm:gap-5 lg:grid-cols-2">
              <Below now={later} height="min-h-96">
                <TrendCard website={website} state={state} onChange={onChange} />
              </Below>
              <Below now={later} height="min-h-96">
                <PartnerCard
                  params={params}
                  currency={website.currency}
                  file={fileName(website.domain, state, 'partners')}
                  onPick={pickPartner}
                />
              </Below>
              <Below now={later} height="min-h-96">
                <GeoCard
                  params={params}
                  currency={website.currency}
                  file={fileName(website.domain, state, 'countries')}
                  onPick={pickCountry}
                />
              </Below>
              <Below now={later} height="min-h-96">
                <Card
                  title="Conversions by status"
                  actions={
                    <Link to="/conversions" search={{ website: website.id }} className={buttonClass({ size: 'sm' })}>
                      All conversions
                    </Link>
                  }
                >
                  <StatusBars params={params} timezone={website.timezone} />
                  <MoreNumbers
                    overview={overview.data?.data}
                    failed={overview.isError}
                    compare={state.compare}
                    currency={website.currency}
                  />
                </Card>
              </Below>
            </div>
          </section>
        </div>
      </PageFailure>
    </Page>
  );
}

interface BreakdownProps extends Props {
  readonly website: Website;
  /** What the numbers leave out. */
  readonly hint: ReactNode;
  readonly params: ReturnType<typeof paramsOf>;
  readonly named: Named;
  readonly used: BreakdownContext['used'];
  readonly onEvents: (request: EventsRequest) => void;
  /** The first view is there. */
  readonly later: boolean;
}

/** The cards by dimension, and the table of all rows when it is open. */
function Breakdowns({ website, params, state, onChange, named, used, onEvents, later, hint }: BreakdownProps) {
  const phone = useIsPhone();
  const [metric, setMetric] = useBarMetric(website.id);
  const viewEvents = (request: Pick<EventsRequest, 'title' | 'of'>, filters: readonly Filter[]) =>
    onEvents({ ...request, period: state, filters: filters.reduce(withFilter, state).filters });
  const context = {
    params,
    filters: state.filters,
    named,
    metric,
    used,
    onPick: (dimension: Dimension, value: string) => onChange(toggleFilter(state, dimension, nameOfValue(value))),
    onDetails: (details: NonNullable<AnalyticsState['details']>) => onChange({ ...state, details }),
    onEvents: viewEvents,
  };
  return (
    <section aria-labelledby="breakdowns" className="flex flex-col gap-3">
      <header className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 text-[0.8125rem] text-muted">
        <h2 id="breakdowns" className="text-[0.9375rem] font-semibold text-text">
          Where it comes from
        </h2>
        <p className="min-h-5 min-w-0 flex-1">{hint}</p>
        {metric !== INITIAL_BARS && (
          <p className="flex items-center gap-1">
            Sorted by {metricName(metric)}: what has none may be missing.
            <Button size="sm" variant="ghost" onClick={() => setMetric(INITIAL_BARS)}>
              Show {metricName(INITIAL_BARS)}
            </Button>
          </p>
        )}
        <BarMetric value={metric} onChange={setMetric} />
      </header>
      {phone ? (
        <BreakdownOnPhone context={context} />
      ) : (
        <div className="grid gap-4 sm:gap-5 lg:grid-cols-2">
          {GROUPS.map((group) => (
            <Below key={group.id} now={later} height="min-h-[18.875rem]">
              <BreakdownCard group={group} context={context} />
            </Below>
          ))}
        </div>
      )}
      {state.details && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <BreakdownDialog
              details={state.details}
              website={website}
              state={state}
              params={params}
              named={named}
              metric={metric}
              onChange={onChange}
              onEvents={viewEvents}
            />
          </Suspense>
        </Boundary>
      )}
    </section>
  );
}

/** On a phone, where cards stand below each other, these open only when wanted. */
function FoldedOnPhone({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const phone = useIsPhone();
  const [open, setOpen] = useState(false);
  if (!phone) return children;
  return (
    <details className="min-w-0" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={cx(surface, 'flex min-h-11 cursor-pointer items-center px-4 font-semibold')}>{title}</summary>
      {open && <div className="mt-4 flex flex-col gap-4">{children}</div>}
    </details>
  );
}

/** True from the first time that it is. */
function useOnce(value: boolean): boolean {
  const [was, setWas] = useState(value);
  if (value && !was) setWas(true);
  return was || value;
}

/** The same functions for as long as the page lives, so that charts which hold them are not drawn again. */
function usePicks(state: AnalyticsState, onChange: Props['onChange']) {
  const latest = useRef({ state, onChange });
  useEffect(() => {
    latest.current = { state, onChange };
  });
  const pick = useCallback(
    (dimension: Dimension, value: string) =>
      latest.current.onChange(toggleFilter(latest.current.state, dimension, nameOfValue(value))),
    [],
  );
  return [
    useCallback((id: string) => pick('partner', id), [pick]),
    useCallback((code: string) => pick('country', code), [pick]),
    pick,
  ] as const;
}

interface CommandProps extends Props {
  readonly refresh: () => void;
  readonly openDates: () => void;
}

function usePageCommands({ state, onChange, refresh, openDates }: CommandProps): void {
  const range = (value: '24h' | '7d' | '30d') => () => onChange({ ...state, range: value, from: null, to: null });
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
      run: () => onChange(nextComparison(state)),
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
