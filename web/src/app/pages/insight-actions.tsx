import { Link } from '@tanstack/react-router';
import { BOTS, DEFAULT_STATE, DIMENSIONS, writeState, type AnalyticsState } from '@/features/analytics/lib/search';
import { CHART_METRICS } from '@/features/analytics/lib/metrics';
import { opened } from '@/components/data/opened';
import { cx } from '@/lib/cx';
import type { Insight } from '@/features/insights/api/insights';
import { textLink } from './text-link';

const PauseLink = opened(() => import('@/features/links/components/pause-link').then((module) => module.PauseLink));
const action = cx(textLink, 'inline-flex items-center max-sm:min-h-10');

/** What can be done about an insight: open its numbers, the partner's links, or pause the link. */
export function InsightActions({ website, insight }: { readonly website: string; readonly insight: Insight }) {
  const { about } = insight;
  return (
    <>
      <Link to="/analytics" search={writeState(shows(website, insight))} className={action}>
        View details
        <span className="sr-only">{` of: ${insight.title}`}</span>
      </Link>
      {about?.dimension === 'partner' && (
        <Link to="/links" search={{ website, partner: about.value }} className={action}>
          {`Open links of ${about.name}`}
        </Link>
      )}
      {about?.dimension === 'link' && <PauseLink id={about.value} name={about.name} />}
    </>
  );
}

/** The same days, compared with the same days, with the metric on the chart: the page says what the insight says. */
function shows(
  website: string,
  { from, to, comparedFrom, comparedTo, metric, filters, about }: Insight,
): AnalyticsState {
  return {
    ...DEFAULT_STATE,
    website,
    range: 'custom',
    from,
    to,
    compare: 'custom',
    compareFrom: comparedFrom,
    compareTo: comparedTo,
    metric: CHART_METRICS.find((name) => name === metric) ?? DEFAULT_STATE.metric,
    bots: BOTS.find((bots) => bots === filters['bots']) ?? DEFAULT_STATE.bots,
    filters: DIMENSIONS.flatMap((dimension) => {
      const value = about?.dimension === dimension ? about.value : filters[dimension];
      return value === undefined ? [] : [{ dimension, operator: 'is' as const, values: [value] }];
    }),
  };
}
