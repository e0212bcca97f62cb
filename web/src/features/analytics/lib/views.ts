// Saved views: from what the page shows to what is saved, and back.
import type { SavedView, ViewContent } from '../api/views';
import type { Layout } from '../hooks/use-layout';
import { filterText, readFilterText } from './filter-params';
import { METRICS } from './metrics';
import { readState, writeState, DEFAULT_STATE, type AnalyticsState } from './search';

/** What a view keeps of the page. */
export function contentOf(state: AnalyticsState, layout: Layout): ViewContent {
  return {
    ...segmentOf(state),
    timeRange: state.range,
    fromDate: state.from,
    toDate: state.to,
    compare: state.compare,
    compareFrom: state.compareFrom,
    compareTo: state.compareTo,
    matchWeekdays: state.matchWeekdays,
    metric: state.metric,
    barMetric: layout.barMetric,
    tabs: { ...layout.tabs },
    columns: [...layout.columns],
    details: [...(state.details ?? [])],
  };
}

/** What a segment keeps: the filters. */
export function segmentOf(state: AnalyticsState): ViewContent {
  return { ...NOTHING, filters: state.filters.map(filterText), bots: state.bots };
}

/** The page with a view or segment applied. What of it is unknown here, such as a later metric, is the default. */
export function withView(state: AnalyticsState, { id, kind, state: content }: SavedView): AnalyticsState {
  const filters = content.filters.flatMap((text) => readFilterText(text) ?? []);
  const base = kind === 'segment' ? state : { ...readContent(content), website: state.website };
  return { ...base, bots: readState({ bots: content.bots }).bots, filters, view: id };
}

/** The part of the layout that a view brings. */
export function layoutOf({ kind, state }: SavedView): Partial<Layout> {
  if (kind === 'segment') return {};
  const known = (name: string) => METRICS.find((metric) => metric === name);
  const barMetric = known(state.barMetric);
  return {
    ...(barMetric ? { barMetric } : {}),
    tabs: state.tabs,
    columns: state.columns.flatMap((name) => known(name) ?? []),
  };
}

/** Whether the page shows something else than the view that is applied. */
export function isModified(view: SavedView, state: AnalyticsState, layout: Layout): boolean {
  const shown = withView(DEFAULT_STATE, view);
  if (textOf({ ...segmentOf(shown) }) !== textOf({ ...segmentOf(state) })) return true;
  if (view.kind === 'segment') return false;
  const own = layoutOf(view);
  const wanted: Layout = {
    barMetric: own.barMetric ?? layout.barMetric,
    tabs: { ...layout.tabs, ...own.tabs },
    columns: own.columns?.length ? own.columns : layout.columns,
  };
  return textOf(contentOf(shown, wanted)) !== textOf(contentOf(state, layout));
}

const NOTHING: ViewContent = {
  filters: [],
  bots: DEFAULT_STATE.bots,
  timeRange: DEFAULT_STATE.range,
  fromDate: null,
  toDate: null,
  compare: DEFAULT_STATE.compare,
  compareFrom: null,
  compareTo: null,
  matchWeekdays: false,
  metric: '',
  barMetric: '',
  tabs: {},
  columns: [],
  details: [],
};

/** The address knows what is valid. */
function readContent(content: ViewContent): AnalyticsState {
  const search = {
    range: content.timeRange,
    from: content.fromDate ?? '',
    to: content.toDate ?? '',
    compare: content.compare,
    compareFrom: content.compareFrom ?? '',
    compareTo: content.compareTo ?? '',
    weekdays: content.matchWeekdays ? 'match' : '',
    metric: content.metric,
    details: content.details.join(','),
  };
  const state = readState(search);
  return readState(writeState(state)); // days are kept for custom ranges only
}

/** Equal for contents that show the same; the order of filters and tabs is none. */
const textOf = (content: ViewContent): string =>
  JSON.stringify({
    ...content,
    filters: content.filters.toSorted(),
    columns: content.columns.toSorted(),
    tabs: Object.entries(content.tabs).toSorted(),
  });
