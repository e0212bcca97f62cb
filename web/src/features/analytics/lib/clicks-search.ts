// The filter is in the URL, so that it can be reloaded, bookmarked and shared.
import { textOf, textsOf, type FlatSearch } from '@/lib/url/search';

export const DEVICES = ['desktop', 'mobile', 'tablet', 'bot', 'other'] as const;
export const BOTS = ['include', 'exclude', 'only'] as const;

export interface ClicksFilter {
  readonly websiteId: string;
  readonly partnerId: string;
  readonly linkId: string;
  readonly countries: readonly string[];
  readonly device: string;
  readonly bots: (typeof BOTS)[number];
  readonly conversionId: string;
}

export const NO_CLICKS_FILTER: ClicksFilter = {
  websiteId: '',
  partnerId: '',
  linkId: '',
  countries: [],
  device: '',
  bots: 'include',
  conversionId: '',
};

/** Anything unknown falls back to everything. */
export function readClicksFilter(search: FlatSearch): ClicksFilter {
  const text = (name: string) => textOf(search[name]) ?? '';
  return {
    websiteId: text('website'),
    partnerId: text('partner'),
    linkId: text('link'),
    countries: [...new Set(textsOf(search['country']).map((code) => code.toUpperCase()))].filter((code) =>
      /^[A-Z]{2}$/.test(code),
    ),
    device: DEVICES.find((device) => device === text('device')) ?? '',
    bots: BOTS.find((bots) => bots === text('bots')) ?? 'include',
    conversionId: text('conversion'),
  };
}

export function writeClicksFilter({
  websiteId,
  partnerId,
  linkId,
  countries,
  device,
  bots,
  conversionId,
}: ClicksFilter): FlatSearch {
  const given = {
    website: websiteId,
    partner: partnerId,
    link: linkId,
    device,
    bots: bots === 'include' ? '' : bots,
    conversion: conversionId,
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    ...(countries.length > 0 ? { country: [...countries] } : {}),
  };
}

/** The filter as the API's query: what is empty is left out. */
export function clicksParams({ bots, countries, ...rest }: ClicksFilter): Record<string, string> {
  const known = { ...rest, country: countries.join(','), bots: bots === 'include' ? '' : bots };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ''));
}
