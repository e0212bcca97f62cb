// Parts that this installation does without (`ALTHING_WITHOUT`): the gateway names them in the document.
// Their pages are those of infra/kernel/config/modules.py; a test compares them.
export const MODULE_PAGES = {
  builder: ['/builder', '/site-newsletter'],
  consulting: ['/consulting'],
  forum: ['/forum'],
  marketplace: ['/marketplace', '/admin/listings'],
  matching: ['/affiliate-matching', '/admin/programs'],
} as const satisfies Record<string, readonly string[]>;

export type ModuleName = keyof typeof MODULE_PAGES;

const without = (): readonly string[] => (document.documentElement.dataset['without'] ?? '').split(' ').filter(Boolean);

/** Whether the page at this address is there. */
export function isOn(href: string): boolean {
  const path = href.split(/[?#]/)[0] ?? '';
  return !without().some((name) =>
    (MODULE_PAGES[name as ModuleName] ?? []).some((page) => path === page || path.startsWith(`${page}/`)),
  );
}
