// The cards of the analytics page: which dimensions stand together.
import { SUBS, type Details, type Dimension } from './search';

export interface BreakdownTab {
  readonly id: string;
  readonly label: string;
  readonly by: Dimension;
  readonly view?: 'map' | 'heat';
}

export interface BreakdownGroup {
  readonly id: string;
  readonly title: string;
  readonly tabs: readonly BreakdownTab[];
}

const tab = (by: Dimension, label: string): BreakdownTab => ({ id: by, label, by });

export const GROUPS: readonly BreakdownGroup[] = [
  { id: 'pages', title: 'Pages', tabs: [tab('page', 'Page'), tab('entry_page', 'Entry'), tab('exit_page', 'Exit')] },
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
    tabs: [{ id: 'weekday_hour', label: 'Weekday and hour', by: 'weekday_hour', view: 'heat' }],
  },
];

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
