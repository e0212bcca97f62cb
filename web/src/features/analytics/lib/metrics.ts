// The metrics of reports: their names, how they are written, and in which direction they are good.
import { formatCount, formatMoney, formatPercent } from '@/lib/format';

export const METRICS = [
  'clicks',
  'visitors',
  'conversions',
  'revenue',
  'epc',
  'conversion_rate',
  'pageviews',
  'visits',
  'views_per_visit',
  'bounce_rate',
  'visit_duration',
  'click_through_rate',
  'impressions',
  'click_rate',
  'revenue_per_1000_visits',
  'cost',
  'profit',
  'roi',
  'roas',
  'cost_per_click',
  'cost_per_conversion',
] as const;
export type Metric = (typeof METRICS)[number];

/** Those that the series of an overview has or gives. */
export const CHART_METRICS = [
  'clicks',
  'visitors',
  'conversions',
  'revenue',
  'epc',
  'conversion_rate',
  'pageviews',
] as const satisfies readonly Metric[];
export type ChartMetric = (typeof CHART_METRICS)[number];

interface Described {
  readonly name: string;
  /** For narrow columns. */
  readonly short?: string;
  readonly kind: 'count' | 'money' | 'percent' | 'decimal' | 'duration';
  readonly goodWhen?: 'down';
  readonly meaning?: string;
}

const DESCRIBED: Readonly<Record<Metric, Described>> = {
  clicks: { name: 'Clicks', kind: 'count' },
  visitors: { name: 'Visitors', kind: 'count' },
  conversions: { name: 'Conversions', short: 'Conv.', kind: 'count' },
  revenue: { name: 'Revenue', kind: 'money' },
  epc: { name: 'EPC', kind: 'money', meaning: 'Earnings per click: revenue divided by clicks' },
  conversion_rate: { name: 'Conversion rate', short: 'CR', kind: 'percent', meaning: 'Conversions per 100 clicks' },
  pageviews: { name: 'Page views', short: 'Views', kind: 'count' },
  visits: { name: 'Visits', kind: 'count' },
  views_per_visit: { name: 'Views per visit', kind: 'decimal' },
  bounce_rate: {
    name: 'Bounce rate',
    short: 'Bounce',
    kind: 'percent',
    goodWhen: 'down',
    meaning: 'Visits with a single page view and no click',
  },
  visit_duration: { name: 'Visit duration', short: 'Duration', kind: 'duration' },
  click_through_rate: {
    name: 'Click-through rate',
    short: 'CTR',
    kind: 'percent',
    meaning: 'Clicks per 100 page views',
  },
  impressions: {
    name: 'Link impressions',
    short: 'Impr.',
    kind: 'count',
    meaning: 'How often affiliate links in your pages were in view, estimated from the sample',
  },
  click_rate: {
    name: 'Clicks per 100 impressions',
    short: 'Link CTR',
    kind: 'percent',
    meaning: 'Clicks per 100 link impressions; switch impressions on in the settings of the website',
  },
  revenue_per_1000_visits: { name: 'Revenue per 1,000 visits', short: 'RPM', kind: 'money' },
  cost: { name: 'Cost', kind: 'money' },
  profit: { name: 'Profit', kind: 'money' },
  roi: { name: 'ROI', kind: 'percent' },
  roas: { name: 'ROAS', kind: 'decimal' },
  cost_per_click: { name: 'Cost per click', kind: 'money', goodWhen: 'down' },
  cost_per_conversion: { name: 'Cost per conversion', kind: 'money', goodWhen: 'down' },
};

export const metricName = (metric: Metric): string => DESCRIBED[metric].name;
export const shortName = (metric: Metric): string => DESCRIBED[metric].short ?? DESCRIBED[metric].name;
export const meaningOf = (metric: Metric): string | undefined => DESCRIBED[metric].meaning;
export const goodWhen = (metric: Metric): 'up' | 'down' => DESCRIBED[metric].goodWhen ?? 'up';
export const isCount = (metric: Metric): boolean => DESCRIBED[metric].kind === 'count';
export const isMoney = (metric: Metric): boolean => DESCRIBED[metric].kind === 'money';

/** A value with its unit; what could not be calculated is a dash. */
export function metricText(metric: Metric, value: number | null | undefined, currency: string): string {
  if (value === null || value === undefined) return '–';
  switch (DESCRIBED[metric].kind) {
    case 'money':
      return formatMoney(value, currency);
    case 'percent':
      return formatPercent(value, 2);
    case 'decimal':
      return value.toFixed(2);
    case 'duration':
      return durationText(value);
    case 'count':
      return formatCount(value);
  }
}

const WITHOUT_CENTS = 1000;

/** For narrow columns: large sums without cents. */
export function shortText(metric: Metric, value: number | null | undefined, currency: string): string {
  const isLargeSum = isMoney(metric) && typeof value === 'number' && Math.abs(value) >= WITHOUT_CENTS;
  return isLargeSum ? formatMoney(value, currency, 0) : metricText(metric, value, currency);
}

/** 75 is "1m 15s". */
function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${rest}s` : `${rest}s`;
}

/** What a bar tells: the chosen metric first, and always what the row earns. */
export function shownMetrics(metric: Metric): readonly [Metric, ...Metric[]] {
  const beside = (['revenue', 'epc', 'clicks'] as const).filter((item) => item !== metric);
  return [metric, ...beside.slice(0, 2)];
}
