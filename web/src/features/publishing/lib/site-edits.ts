// Changes of a site's document. Pure.
import type { SiteDocument, SitePage } from './document';
import { moved } from './edits';
import { slugOf } from './slug';

/** Adds an empty page at a free path, at the end of the menu. */
export function addPage(site: SiteDocument, title: string, id: string): SiteDocument {
  const page: SitePage = {
    id,
    path: freePath(site, slugOf(title) || 'page'),
    title,
    short_title: '',
    description: '',
    is_indexed: true,
  };
  return { ...site, pages: [...site.pages, page], navigation: [...site.navigation, id] };
}

function freePath(site: SiteDocument, wanted: string): string {
  const taken = new Set(site.pages.map(({ path }) => path));
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(path)) return path;
  }
}

export function changePage(site: SiteDocument, changed: SitePage): SiteDocument {
  return { ...site, pages: site.pages.map((page) => (page.id === changed.id ? changed : page)) };
}

/** The home page stays. */
export function removePage(site: SiteDocument, id: string): SiteDocument {
  if (site.pages.some((page) => page.id === id && page.path === '')) return site;
  return {
    ...site,
    pages: site.pages.filter((page) => page.id !== id),
    navigation: site.navigation.filter((item) => item !== id),
  };
}

export function showInMenu(site: SiteDocument, id: string, shown: boolean): SiteDocument {
  const others = site.navigation.filter((item) => item !== id);
  return { ...site, navigation: shown ? [...others, id] : others };
}

export const moveInMenu = (site: SiteDocument, from: number, to: number): SiteDocument => ({
  ...site,
  navigation: moved(site.navigation, from, to),
});
