import { useQuery } from '@tanstack/react-query';
import { Maximize2 } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { usePageFailure } from '@/components/charts/page-failure';
import { Boundary } from '@/components/data/boundary';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Tabs } from '@/components/ui/tabs';
import { useVisible } from '@/components/ui/use-visible';
import { cx } from '@/lib/cx';
import { useRemembered } from '@/lib/storage/remembered';
import { breakdownQuery, type BreakdownParams } from '../api/breakdown';
import type { AnalyticsParams } from '../api/analytics';
import { useTab } from '../hooks/use-layout';
import { GROUPS, tabsWithData, type BreakdownGroup, type BreakdownTab } from '../lib/breakdown-groups';
import { eventsOf, type EventsRequest } from '../lib/events';
import type { Named } from '../lib/dimensions';
import { METRICS, metricName, shownMetrics, type Metric } from '../lib/metrics';
import type { Details, Dimension, Filter } from '../lib/search';
import { named as nameOfValue, NONE, shown } from '../lib/values';
import { BreakdownBars } from './breakdown-bars';

const WorldMap = lazy(() => import('./world-map').then((module) => ({ default: module.WorldMap })));
const HeatMap = lazy(() => import('./heat-map').then((module) => ({ default: module.HeatMap })));

const ROWS = 6;
/** Of a ranking, so many rows are looked at. */
const RANKED_ROWS = 50;
const HOURS_OF_A_WEEK = 168;
const ALL_COUNTRIES = 250;

export interface BreakdownContext {
  readonly params: AnalyticsParams;
  readonly filters: readonly Filter[];
  readonly named: Named;
  readonly metric: Metric;
  /** The rare dimensions that have a value in the range; null: that is not known. */
  readonly used: readonly string[] | null;
  readonly onPick: (dimension: Dimension, value: string) => void;
  readonly onDetails: (details: Details) => void;
  readonly onEvents: (request: Pick<EventsRequest, 'title' | 'of'>, filters: readonly Filter[]) => void;
}

export function BarMetric({
  value,
  onChange,
}: {
  readonly value: Metric;
  readonly onChange: (metric: Metric) => void;
}) {
  return (
    <Select
      label="Metric of the bars"
      className="h-9 text-[0.8125rem]"
      value={value}
      onChange={(event) => onChange(event.target.value as Metric)}
    >
      {METRICS.map((metric) => (
        <option key={metric} value={metric}>
          {metricName(metric)}
        </option>
      ))}
    </Select>
  );
}

/** One subject, such as pages or places, by a few dimensions. */
export function BreakdownCard({
  group,
  context,
}: {
  readonly group: BreakdownGroup;
  readonly context: BreakdownContext;
}) {
  const [tabId, setTab] = useTab(group);
  const tab = group.tabs.find((item) => item.id === tabId) ?? (group.tabs[0] as BreakdownTab);
  return (
    <section aria-label={group.title} className={cx(surface, 'relative min-w-0 p-4')}>
      <GroupTabs group={group} tab={tab} onTab={setTab} context={context} />
      <Button
        size="sm"
        variant="ghost"
        className="absolute top-3 right-3 max-sm:top-2 max-sm:h-10"
        onClick={() => context.onDetails([tab.by])}
      >
        <Maximize2 aria-hidden className="size-3.5" />
        View all<span className="sr-only"> of {group.title}</span>
      </Button>
    </section>
  );
}

/** All subjects in one card, for phones: one at a time. */
export function BreakdownOnPhone({ context }: { readonly context: BreakdownContext }) {
  const [groupId, setGroup] = useRemembered(
    'breakdown.group',
    GROUPS.map((group) => group.id),
    'pages',
  );
  const group = GROUPS.find((item) => item.id === groupId) ?? (GROUPS[0] as BreakdownGroup);
  return (
    <Tabs
      label="Breakdowns"
      value={group.id}
      onChange={setGroup}
      tabs={GROUPS.map((item) => ({
        id: item.id,
        label: item.title,
        content: <BreakdownCard key={item.id} group={item} context={context} />,
      }))}
    />
  );
}

interface TabsProps {
  readonly group: BreakdownGroup;
  readonly tab: BreakdownTab;
  readonly onTab: (id: string) => void;
  readonly context: BreakdownContext;
}

function GroupTabs({ group, tab, onTab, context }: TabsProps) {
  const [box, visible] = useVisible<HTMLDivElement>();
  const content = <TabContent tab={tab} visible={visible} context={context} />;
  const title = <h3 className="text-[0.9375rem] font-semibold">{group.title}</h3>;
  const tabs = tabsWithData(group, tab.id, context.used);
  return (
    <div ref={box} className="min-h-[16.75rem] max-sm:min-h-[22rem]">
      {tabs.length === 1 ? (
        <>
          <div className="mb-1 flex min-h-8 items-center max-sm:min-h-10">{title}</div>
          {content}
        </>
      ) : (
        <Tabs
          label={group.title}
          look="compact"
          before={title}
          value={tab.id}
          onChange={onTab}
          tabs={tabs.map((item) => ({ id: item.id, label: item.label, content: item === tab ? content : null }))}
        />
      )}
    </div>
  );
}

interface ContentProps {
  readonly tab: BreakdownTab;
  readonly visible: boolean;
  readonly context: BreakdownContext;
}

function TabContent({ tab, visible, context }: ContentProps) {
  const { by, view, ranking } = tab;
  const { named } = context;
  const metrics = ranking?.metrics ?? shownMetrics(context.metric);
  const [metric] = metrics;
  const params: BreakdownParams = {
    ...context.params,
    by,
    compare: 'none',
    metrics: metrics.join(','),
    sort: ranking?.sort ?? `-${metric}`,
    limit: view === 'heat' ? HOURS_OF_A_WEEK : view === 'map' ? ALL_COUNTRIES : ranking ? RANKED_ROWS : ROWS,
  };
  const query = useQuery({ ...breakdownQuery(params), enabled: visible });
  const data = query.data?.data;
  const told = usePageFailure();
  if (query.error && !data && told) return <Empty className="min-h-56">Not available right now.</Empty>;
  if (query.error && !data)
    return <ErrorBox error={query.error} prefix="Could not load" onRetry={() => void query.refetch()} />;
  if (!data && !visible) return <Skeleton className="h-56" />; // not requested yet
  if (!data)
    return (
      <div role="status" aria-label={`Loading ${tab.label}`}>
        <Skeleton className="h-56" />
      </div>
    );
  const rows = ranking ? data.rows.filter((row) => row[ranking.among] > 0).slice(0, ROWS) : data.rows;
  if (rows.length === 0) return <Empty className="min-h-56">{ranking?.without ?? 'No data in this period.'}</Empty>;
  const picked = pickedValues(context.filters, by);
  const onPick = (value: string) => context.onPick(by, value);
  if (view === 'map') return late(<WorldMap data={data} metric={metric} picked={picked} onPick={onPick} />);
  if (view === 'heat') return late(<HeatMap data={data} metric={metric} onPick={onPick} />);
  return (
    <BreakdownBars
      by={by}
      data={{ ...data, rows }}
      metrics={metrics}
      named={named}
      picked={picked}
      onPick={onPick}
      onEvents={(value, name) =>
        context.onEvents({ title: name, of: eventsOf(metric) }, [
          { dimension: by, operator: 'is', values: [nameOfValue(value)] },
        ])
      }
    />
  );
}

const late = (part: ReactNode) => (
  <Boundary fallback={<ErrorBox error={new Error('This part could not be loaded. Please reload the page.')} />}>
    <Suspense fallback={<Skeleton className="h-56" />}>{part}</Suspense>
  </Boundary>
);

/** The values of an "is" filter, as reports write them. */
function pickedValues(filters: readonly Filter[], by: Dimension): readonly string[] {
  const filter = filters.find((item) => item.dimension === by && item.operator === 'is');
  return filter?.values.map((value) => (value === NONE ? '' : shown(value))) ?? [];
}
