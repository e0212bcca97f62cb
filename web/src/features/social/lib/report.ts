// The revenue report: channels with their posts, sums over the channels, and the order of both.
import type { SocialRow } from '@/lib/api/types';
import { RANGE_LABELS, type NamedRange } from '@/lib/dates/ranges';
import { textOf, type FlatSearch } from '@/lib/url/search';

export const RANGES = ['7d', '30d', '90d', '12m', 'all'] as const satisfies readonly NamedRange[];
export type ReportRange = (typeof RANGES)[number];
export const rangeName = (range: ReportRange): string => RANGE_LABELS[range];

export const SORT_KEYS = ['revenue', 'sales', 'clicks', 'views', 'name'] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export type Sort = SortKey | `-${SortKey}`;

export interface ReportState {
  readonly website: string | null;
  readonly range: ReportRange;
  readonly sort: Sort;
}

const DEFAULTS = { range: '30d', sort: '-revenue' } as const;

/** Anything unknown falls back to the default. */
export function readReport(search: FlatSearch): ReportState {
  const sort = textOf(search['sort']) ?? '';
  const key = SORT_KEYS.find((item) => item === sort.replace(/^-/, ''));
  return {
    website: textOf(search['website']) ?? null,
    range: RANGES.find((item) => item === textOf(search['range'])) ?? DEFAULTS.range,
    sort: key ? (sort.startsWith('-') ? `-${key}` : key) : DEFAULTS.sort,
  };
}

export function writeReport({ website, range, sort }: ReportState): FlatSearch {
  return {
    ...(website ? { website } : {}),
    ...(range === DEFAULTS.range ? {} : { range }),
    ...(sort === DEFAULTS.sort ? {} : { sort }),
  };
}

const VALUES: Readonly<Record<Exclude<SortKey, 'name'>, (row: SocialRow) => number>> = {
  revenue: (row) => row.revenueAmount,
  sales: (row) => row.conversions,
  clicks: (row) => row.clicks,
  views: (row) => row.views ?? -1,
};

/** Channels in order, each followed by its posts in the same order. */
export function sorted(rows: readonly SocialRow[], sort: Sort): readonly SocialRow[] {
  const key = sort.replace(/^-/, '') as SortKey;
  const turn = sort.startsWith('-') ? -1 : 1;
  const compare = (a: SocialRow, b: SocialRow): number =>
    turn * (key === 'name' ? a.name.localeCompare(b.name) : VALUES[key](a) - VALUES[key](b));
  const of = (kind: SocialRow['kind']) => rows.filter((row) => row.kind === kind).toSorted(compare);
  const posts = of('post');
  return of('channel').flatMap((channel) => [channel, ...posts.filter((post) => post.channelId === channel.channelId)]);
}

export interface Totals {
  /** Null where no network reported any. */
  readonly views: number | null;
  readonly clicks: number;
  readonly conversions: number;
  readonly revenue: number;
  readonly currency: string;
  /** Clicks per hundred views, of the channels whose views are known. */
  readonly clickRate: number | null;
  /** Conversions per hundred clicks. */
  readonly conversionRate: number | null;
}

/** Sums over the channels: their counts include those of their posts. */
export function totalsOf(rows: readonly SocialRow[], currency: string): Totals {
  const channels = rows.filter((row) => row.kind === 'channel');
  const sum = (value: (row: SocialRow) => number, of = channels) => of.reduce((all, row) => all + value(row), 0);
  const measured = channels.filter((row) => row.views !== null);
  const views = sum((row) => row.views ?? 0, measured);
  const [clicks, conversions] = [sum((row) => row.clicks), sum((row) => row.conversions)];
  return {
    views: measured.length > 0 ? views : null,
    clicks,
    conversions,
    revenue: sum((row) => row.revenueAmount),
    currency: channels[0]?.currency ?? currency,
    clickRate: views > 0 ? (100 * sum((row) => row.clicks, measured)) / views : null,
    conversionRate: clicks > 0 ? (100 * conversions) / clicks : null,
  };
}
