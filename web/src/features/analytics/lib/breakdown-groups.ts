// The cards of the analytics page: which dimensions stand together.
import type { Metric } from './metrics';
import { SUBS, type Details, type Dimension } from './search';

export interface BreakdownTab {
  readonly id: string;
  readonly label: string;
  readonly by: Dimension;
  readonly view?: 'map' | 'heat';
  /** A question of its own, whatever metric the bars of the page have. */
  readonly ranking?: Ranking;
}

/** `metrics`: the first one is drawn. Rows in which `among` is 0 are left out; `without`: said when none is left. */
export interface Ranking {
  readonly metrics: readonly [Metric, ...Metric[]];
  readonly sort: string;
  readonly among: 'revenue' | 'impressions';
  readonly without: string;
}

export interface BreakdownGroup {
  readonly id: string;
  readonly title: string;
  readonly tabs: readonly BreakdownTab[];
}

const tab = (by: Dimension, label: string): BreakdownTab => ({ id: by, label, by });

const PER_1000_VISITS: BreakdownTab = {
  id: 'page_per_1000_visits',
  label: 'Per 1,000 visits',
  by: 'page',
  ranking: {
    metrics: ['revenue_per_1000_visits', 'visits', 'revenue'],
    sort: '-revenue_per_1000_visits',
    among: 'revenue',
    without: 'No page earned anything in this period.',
  },
};

const LEAST_CLICKED: BreakdownTab = {
  id: 'link_least_clicked',
  label: 'Least clicked',
  by: 'link',
  ranking: {
    metrics: ['click_rate', 'impressions', 'clicks'],
    sort: 'click_rate',
    among: 'impressions',
    without: 'No link was seen in this period. Switch on link impressions in the settings of the website.',
  },
};

export const GROUPS: readonly BreakdownGroup[] = [
  {
    id: 'pages',
    title: 'Pages',
    tabs: [tab('page', 'Page'), PER_1000_VISITS, tab('entry_page', 'Entry'), tab('exit_page', 'Exit')],
  },
  {
    id: 'sources',
    title: 'Sources',
    tabs: [tab('source', 'Source'), tab('channel', 'Channel'), tab('referrer', 'Referrer')],
  },
  {
    id: 'campaigns',
    title: 'Campaigns',
    tabs: [
      tab('utm_campaign', 'Campaign'),
      tab('utm_source', 'Source'),
      tab('utm_medium', 'Medium'),
      tab('utm_content', 'Content'),
      tab('utm_term', 'Term'),
    ],
  },
  {
    id: 'links',
    title: 'Links',
    tabs: [
      tab('link', 'Link'),
      LEAST_CLICKED,
      tab('partner', 'Partner'),
      tab('variant', 'Variant'),
      tab('placement', 'Placement'),
      ...SUBS.map((name) => tab(name, name.replace('sub', 'Sub-ID '))),
    ],
  },
  {
    id: 'places',
    title: 'Places',
    tabs: [{ id: 'map', label: 'Map', by: 'country', view: 'map' }, tab('country', 'Country'), tab('region', 'Region')],
  },
  {
    id: 'devices',
    title: 'Devices',
    tabs: [tab('device', 'Device'), tab('browser', 'Browser'), tab('os', 'OS'), tab('language', 'Language')],
  },
  { id: 'events', title: 'Events', tabs: [tab('event', 'Event')] },
  {
    id: 'hours',
    title: 'Weekday and hour',
    tabs: [{ ...tab('weekday_hour', 'Weekday and hour'), view: 'heat' }],
  },
];

/** What many websites never use: a tab of it is shown once a range has a value of it. They stand last in their groups. */
const RARE = /utm|sub|variant|placement|region|language/;

/** The tabs of a group without those that would be empty; its first one, and the open one, are always there. `used`: the
 *  rare dimensions that have a value; null: that is not known. */
export const tabsWithData = ({ tabs }: BreakdownGroup, openId: string, used: readonly string[] | null) =>
  tabs.filter(({ id, by }, index) => !used || !index || id === openId || !RARE.test(by) || used.includes(by));

const DEEPER: Partial<Record<Dimension, Dimension>> = {
  channel: 'source',
  source: 'referrer',
  referrer: 'page',
  utm_source: 'utm_campaign',
  utm_medium: 'utm_campaign',
  utm_campaign: 'utm_content',
  country: 'region',
  region: 'city',
  device: 'browser',
  browser: 'os',
  partner: 'link',
  link: 'variant',
  variant: 'page',
  page: 'source',
  entry_page: 'page',
  exit_page: 'page',
  placement: 'page',
  event: 'page',
};

/** What the table of all rows shows next, once one value of `by` is picked. */
export const deeper = ([first, second]: Details): Details => (second ? [second] : [DEEPER[first] ?? 'page']);
