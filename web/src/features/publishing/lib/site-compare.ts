// What is different between two versions of a site's document.
import type { SiteDocument } from './document';

const PARTS: readonly (readonly [keyof SiteDocument, string])[] = [
  ['name', 'Name'],
  ['author', 'Author'],
  ['logo', 'Logo'],
  ['language', 'Language'],
  ['theme', 'Theme'],
  ['navigation', 'Menu'],
];

export function siteDifferences(mine: SiteDocument, theirs: SiteDocument) {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const parts = PARTS.filter(([part]) => !same(mine[part], theirs[part])).map(([, name]) => ({
    name,
    what: 'Different',
  }));
  const others = new Map(theirs.pages.map((page) => [page.id, page]));
  const ours = new Set(mine.pages.map(({ id }) => id));
  const pages = mine.pages.flatMap((page) => {
    const other = others.get(page.id);
    const name = `Page: ${page.title}`;
    if (!other) return [{ name, what: 'Only in yours' }];
    return same(page, other) ? [] : [{ name, what: 'Different' }];
  });
  const added = theirs.pages
    .filter(({ id }) => !ours.has(id))
    .map(({ title }) => ({ name: `Page: ${title}`, what: 'Only in theirs' }));
  return [...parts, ...pages, ...added];
}
