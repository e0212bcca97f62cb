// How a person has laid out the cards of the analytics page: the open tab of each and, for each website, the metric of the
// bars and the columns of the table of all rows. Kept in this browser, and in saved views.
import { remember, useRemembered, useRememberedSet, useRememberedTexts } from '@/lib/storage/remembered';
import { GROUPS, type BreakdownGroup } from '../lib/breakdown-groups';
import { METRICS, type Metric } from '../lib/metrics';

export interface Layout {
  readonly barMetric: Metric;
  readonly tabs: Readonly<Record<string, string>>;
  readonly columns: readonly Metric[];
}

export const INITIAL_BARS: Metric = 'visitors';
const metricKey = (websiteId: string): string => `breakdown.metric.${websiteId}`;
const columnsKey = (websiteId: string): string => `breakdown.columns.${websiteId}`;
const INITIAL_COLUMNS: readonly Metric[] = [
  'visitors',
  'pageviews',
  'clicks',
  'conversions',
  'revenue',
  'epc',
  'conversion_rate',
];
const tabKey = (groupId: string): string => `breakdown.${groupId}`;
const TAB_KEYS = GROUPS.map(({ id }) => tabKey(id));

/** The metric of all bars. */
export const useBarMetric = (websiteId: string) => useRemembered(metricKey(websiteId), METRICS, INITIAL_BARS);

/** The columns of the table of all rows. */
export const useColumns = (websiteId: string) => useRememberedSet(columnsKey(websiteId), METRICS, INITIAL_COLUMNS);

/** The open tab of a card. */
export const useTab = (group: BreakdownGroup) =>
  useRemembered(
    tabKey(group.id),
    group.tabs.map((tab) => tab.id),
    group.tabs[0]?.id ?? '',
  );

/** All of it, as it is shown. */
export function useLayout(websiteId: string): Layout {
  const [barMetric] = useBarMetric(websiteId);
  const [columns] = useColumns(websiteId);
  const stored = useRememberedTexts(TAB_KEYS);
  return { barMetric, columns, tabs: Object.fromEntries(GROUPS.map((group) => [group.id, openTab(group, stored)])) };
}

const openTab = ({ id, tabs }: BreakdownGroup, stored: Readonly<Record<string, string>>): string =>
  (tabs.find((tab) => tab.id === stored[tabKey(id)]) ?? tabs[0])?.id ?? '';

/** Shows what is given; the rest stays. */
export function applyLayout(websiteId: string, { barMetric, tabs, columns }: Partial<Layout>): void {
  if (barMetric) remember(metricKey(websiteId), barMetric);
  if (columns?.length) remember(columnsKey(websiteId), columns.join(','));
  for (const [groupId, tabId] of Object.entries(tabs ?? {})) remember(tabKey(groupId), tabId);
}
