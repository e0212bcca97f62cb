// A listing as the texts of a form, and back.
import { parseDollars } from './format';
import type { ListingFields, ListingInFull, ListingStatus, Niche } from './types';
import { WHOLE_DOLLARS } from '../components/dollars-field';

export interface Draft {
  readonly title: string;
  readonly websiteUrl: string;
  readonly description: string;
  readonly niche: Niche | '';
  readonly askingPrice: string;
  readonly monthlyRevenue: string;
  readonly monthlyProfit: string;
  readonly monthlyTraffic: string;
  readonly yearsEstablished: string;
  readonly websiteId: string;
}

export type Faults = Readonly<Partial<Record<keyof Draft, string>>>;

export const MAX_IMAGES = 8;
const MIN_TITLE = 5;
const MIN_DESCRIPTION = 30;

export function draftOf(listing: ListingInFull): Draft {
  const text = (value: number | null) => (value === null ? '' : String(value));
  return {
    title: listing.title,
    websiteUrl: listing.websiteUrl,
    description: listing.description,
    niche: listing.niche ?? '',
    websiteId: listing.websiteId ?? '',
    askingPrice: text(listing.askingPrice),
    monthlyRevenue: text(listing.monthlyRevenue),
    monthlyProfit: text(listing.monthlyProfit),
    monthlyTraffic: text(listing.monthlyTraffic),
    yearsEstablished: text(listing.yearsEstablished),
  };
}

/** Valid fields and errors. All fields are optional. */
export function fieldsOf(draft: Draft): { readonly fields: ListingFields; readonly faults: Faults } {
  const faults: Partial<Record<keyof Draft, string>> = {};
  const read = (name: keyof Draft, parse: (text: string) => number | null, message: string): number | null => {
    if (draft[name].trim() === '') return null;
    const value = parse(draft[name]);
    if (value === null) faults[name] = message;
    return value;
  };
  const fields: ListingFields = {
    title: draft.title.trim(),
    websiteUrl: draft.websiteUrl.trim(),
    description: draft.description.trim(),
    niche: draft.niche || null,
    websiteId: draft.websiteId || null,
    askingPrice: read('askingPrice', (text) => parseDollars(text, { zero: false }), WHOLE_DOLLARS),
    monthlyRevenue: read('monthlyRevenue', parseDollars, WHOLE_DOLLARS),
    monthlyProfit: read(
      'monthlyProfit',
      (text) => parseDollars(text, { negative: true }),
      `${WHOLE_DOLLARS}, or -500 for a loss`,
    ),
    monthlyTraffic: read('monthlyTraffic', parseCount, 'Please enter a whole number of visitors'),
    yearsEstablished: read('yearsEstablished', parseYears, 'Please enter a number from 0 to 100'),
  };
  return { fields, faults };
}

/** Valid fields; for invalid ones the saved values. */
export const withSaved = (fields: ListingFields, faults: Faults, kept: ListingFields): ListingFields => ({
  ...fields,
  ...Object.fromEntries(Object.keys(faults).map((name) => [name, kept[name as keyof Draft]])),
});

function parseCount(text: string): number | null {
  const plain = text.trim().replaceAll(',', '');
  return /^\d{1,12}$/.test(plain) ? Number(plain) : null;
}

function parseYears(text: string): number | null {
  const plain = text.trim().replace(',', '.');
  return /^\d{1,3}(\.\d{1,2})?$/.test(plain) && Number(plain) <= 100 ? Number(plain) : null;
}

/** What a review needs and is not there yet, by field. */
export function missingIn(fields: ListingFields): Faults {
  const needs: readonly (readonly [keyof Draft, boolean, string])[] = [
    ['title', fields.title.length < MIN_TITLE, `The title needs at least ${MIN_TITLE} characters.`],
    ['websiteUrl', !isWebAddress(fields.websiteUrl), 'Enter the website’s URL, starting with https://.'],
    ['niche', fields.niche === null, 'Choose a niche.'],
    ['yearsEstablished', fields.yearsEstablished === null, 'Enter the age of the website.'],
    [
      'description',
      fields.description.length < MIN_DESCRIPTION,
      `The description needs at least ${MIN_DESCRIPTION} characters.`,
    ],
    ['askingPrice', fields.askingPrice === null, 'Enter a price.'],
    ['monthlyRevenue', fields.monthlyRevenue === null, 'Enter the monthly revenue.'],
    ['monthlyProfit', fields.monthlyProfit === null, 'Enter the monthly profit.'],
    ['monthlyTraffic', fields.monthlyTraffic === null, 'Enter the monthly traffic.'],
  ];
  return Object.fromEntries(needs.filter(([, lacks]) => lacks).map(([name, , message]) => [name, message]));
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

const AT_REST: readonly ListingStatus[] = ['draft', 'rejected', 'withdrawn', 'expired'];

/** Not public: every change can be saved immediately. */
export const isAtRest = (status: ListingStatus): boolean => AT_REST.includes(status);
/** Public: members can ask questions. */
export const isOffered = (status: ListingStatus): boolean => status === 'active' || status === 'under_offer';
export const isChangeable = (status: ListingStatus): boolean =>
  isAtRest(status) || status === 'in_review' || status === 'active';
export const isWithdrawable = (status: ListingStatus): boolean =>
  !['under_offer', 'in_escrow', 'sold', 'withdrawn'].includes(status);
