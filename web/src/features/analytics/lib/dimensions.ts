// The dimensions of reports and filters: their names, and the names of their values.
import { countryName } from '@/lib/labels/countries';
import { DIRECT } from '@/lib/labels/sources';
import { reasonName } from '@/lib/labels/traffic-reasons';
import type { Dimension } from './search';

const NAMES: Partial<Record<Dimension, string>> = {
  page: 'Page',
  entry_page: 'Entry page',
  exit_page: 'Exit page',
  hostname: 'Hostname',
  channel: 'Channel',
  source: 'Source',
  referrer: 'Referrer',
  utm_campaign: 'UTM campaign',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_content: 'UTM content',
  utm_term: 'UTM term',
  country: 'Country',
  region: 'Region',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  language: 'Language',
  partner: 'Partner',
  link: 'Link',
  variant: 'Variant',
  placement: 'Placement',
  coupon: 'Coupon',
  event: 'Event',
  weekday_hour: 'Weekday and hour',
  reason: 'Excluded as',
};

export const NOT_SET = '(not set)';
/** Without a value of these, nobody sent the visitor. */
const OF_SENDERS: readonly Dimension[] = ['source', 'referrer'];

/** No value, or nobody who sent the visitor: no finding, and shown so. */
export const isUnset = (dimension: Dimension, value: string): boolean =>
  value === '' || (dimension === 'channel' && value.toLowerCase() === 'direct');

export const dimensionName = (dimension: Dimension): string => NAMES[dimension] ?? dimension.replace('sub', 'Sub-ID ');

/** The names of what has an id. */
export interface Named {
  readonly partners: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly { readonly id: string; readonly slug: string }[];
}

/** How a value is shown. `label` is the name that the report gives. */
export function valueName(dimension: Dimension, value: string, named: Named, label?: string): string {
  if (value === '') return OF_SENDERS.includes(dimension) ? DIRECT : label || NOT_SET;
  switch (dimension) {
    case 'partner':
      return named.partners.find((item) => item.id === value)?.name ?? label ?? value;
    case 'link':
      return named.links.find((item) => item.id === value)?.slug ?? label ?? value;
    case 'country':
      return countryName(value);
    case 'reason':
      return reasonName(value);
    case 'weekday_hour':
      return hourName(value);
    case 'variant':
      return label ?? `Variant ${value}`;
    case 'device':
      return value.charAt(0).toUpperCase() + value.slice(1);
    case 'language':
      return languageName(value);
    default:
      return label || value;
  }
}

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** "1-14" is "Mon 14:00". */
function hourName(value: string): string {
  const [day, hour] = value.split('-').map(Number);
  const name = WEEKDAYS[(day ?? 0) - 1];
  return name && hour !== undefined ? `${name} ${String(hour).padStart(2, '0')}:00` : value;
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

function languageName(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code; // not a language tag
  }
}
