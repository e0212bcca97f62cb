// Placeholders: texts in square brackets that an author is to fill in.
import type { SitePage } from './document';
import type { Placeholder } from './types';

export interface PagePlaceholders {
  /** Null: the site's own texts. */
  readonly pageId: string | null;
  readonly title: string;
  readonly places: readonly Placeholder[];
}

/** In the order of the pages. */
export function placeholdersByPage(
  places: readonly Placeholder[],
  pages: readonly SitePage[],
): readonly PagePlaceholders[] {
  const titles = new Map(pages.map(({ id, title, short_title }) => [id, short_title || title]));
  return [...new Set(places.map(({ pageId }) => pageId))].map((pageId) => ({
    pageId,
    title: pageId === null ? 'Site name' : (titles.get(pageId) ?? 'Page'),
    places: places.filter((place) => place.pageId === pageId),
  }));
}

const IDENTIFIER = /^[0-9a-f]{8}-/;
const WORDS: Readonly<Record<string, string>> = {
  short_title: 'Short title',
  title: 'Title',
  description: 'Description',
};

/** Where a placeholder is, for people: the name of its block, or the field of its page. */
export function placeOfText({ placement, field }: Placeholder): string {
  if (!placement) return WORDS[field] ?? field;
  return IDENTIFIER.test(placement) ? '' : placement.replaceAll('-', ' ');
}

/** The placeholder after the one that was shown last, by turns. If that one is filled in, its place is the next one's. */
export function nextPlaceholder(
  places: readonly Placeholder[],
  last: { readonly place: Placeholder; readonly index: number } | null,
): { readonly place: Placeholder; readonly index: number } | null {
  const still = last ? places.findIndex((place) => isSame(place, last.place)) : -1;
  const wanted = last === null ? 0 : still < 0 ? last.index : still + 1;
  const index = wanted % Math.max(1, places.length);
  const place = places[index];
  return place ? { place, index } : null;
}

const isSame = (one: Placeholder, other: Placeholder): boolean =>
  one.placement === other.placement && one.field === other.field && one.text === other.text;
