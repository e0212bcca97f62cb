import { Link } from '@tanstack/react-router';
import { BOTS, DEFAULT_STATE, DIMENSIONS, writeState, type AnalyticsState } from '@/features/analytics/lib/search';
import type { Insight } from '@/features/insights/api/insights';
import { textLink } from './text-link';

/** The dashboard with the days and filters of an insight. */
export function InsightLink({ website, insight }: { readonly website: string; readonly insight: Insight }) {
  return (
    <Link to="/analytics" search={writeState(shows(website, insight))} className={textLink}>
      View details
      <span className="sr-only">{` of: ${insight.title}`}</span>
    </Link>
  );
}

function shows(website: string, { from, to, filters }: Insight): AnalyticsState {
  return {
    ...DEFAULT_STATE,
    website,
    range: 'custom',
    from,
    to,
    bots: BOTS.find((bots) => bots === filters['bots']) ?? DEFAULT_STATE.bots,
    filters: DIMENSIONS.flatMap((dimension) => {
      const value = filters[dimension];
      return value === undefined ? [] : [{ dimension, operator: 'is' as const, values: [value] }];
    }),
  };
}
