// The ranges that have a name: their order in a picker, and their labels. Every screen and the API name them the same.
export const RANGE_GROUPS = [
  { label: 'Days', ranges: ['today', 'yesterday', '24h', '7d', '14d', '30d', '90d'] },
  { label: 'Weeks and months', ranges: ['this_week', 'last_week', 'this_month', 'last_month'] },
  { label: 'Quarters and years', ranges: ['this_quarter', 'last_quarter', 'this_year', 'last_year', '12m', 'all'] },
] as const;
export type NamedRange = (typeof RANGE_GROUPS)[number]['ranges'][number];

export const RANGE_LABELS: Record<NamedRange, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '24h': 'Last 24h',
  '7d': 'Last 7 days',
  '14d': 'Last 14 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  this_week: 'This week',
  last_week: 'Last week',
  this_month: 'This month',
  last_month: 'Last month',
  this_quarter: 'This quarter',
  last_quarter: 'Last quarter',
  this_year: 'This year',
  last_year: 'Last year',
  '12m': 'Last 12 months',
  all: 'All time',
};

/** Days, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}
