// References in Markdown: `page:ID` is a page of the site, `link:ID` a tracked link. People read names, not ids.
import type { SitePage } from './document';

/** The names of what the Markdown of a site may lead to, by address: `page:ID`, `link:ID`. */
export type Names = ReadonlyMap<string, string>;

export const GONE = { page: 'page no longer exists', link: 'link no longer exists' } as const;

export const pageNames = (pages: readonly SitePage[]): Names =>
  new Map(pages.map(({ id, title, short_title }) => [`page:${id}`, short_title || title]));

const LINK = /!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)/g;

/** A line of Markdown as plain text. Links keep their text; one to a page that is gone says so. */
export function plainOf(line: string, pages?: Names): string {
  return line
    .replace(LINK, (_, text: string, address: string) => {
      const isGone = pages && /^page:/i.test(address) && !pages.has(address.toLowerCase());
      return isGone ? `${text} (${GONE.page})` : text;
    })
    .replace(/^[#>*\-\s]+/, '')
    .replace(/(\*\*|__|`|~~)/g, '')
    .trim();
}
