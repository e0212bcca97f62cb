// Every target of the navigation. To add an entry, add a line here; it shows once the router has a route of its path.
import type { AnyRouter } from '@tanstack/react-router';
import { adminGroups, adminSections } from '@/lib/admin/sections';
import { isOn } from '@/lib/modules';
import type { User } from '@/lib/session';

export interface NavEntry {
  readonly label: string;
  readonly to: string;
  /** The part of the page. */
  readonly hash?: string;
  /** Pressed after "g". */
  readonly key?: string;
}

/** Drawn by shell/side-nav.tsx. */
export type WorkIcon = 'links' | 'conversions' | 'payouts' | 'insights' | 'builder' | 'sql' | 'learn' | 'admin';

export interface WorkEntry extends NavEntry {
  readonly icon: WorkIcon;
  /** Shown only with this role. An admin may do all that an analyst may. */
  readonly role?: 'admin' | 'analyst';
  /** Starts a new group. */
  readonly apart?: boolean;
  /** Pages below it. */
  readonly sections?: readonly NavEntry[];
  /** The same in groups: the pages of the current one are listed. */
  readonly groups?: readonly NavGroup[];
}

export interface NavGroup {
  readonly label: string;
  readonly sections: readonly NavEntry[];
}

export interface FooterColumn {
  readonly title: string;
  readonly links: readonly NavEntry[];
}

/** On top of every page, in the order of the specification. */
const TOP: readonly NavEntry[] = [
  { label: 'Home', to: '/', key: 'h' },
  { label: 'AI Matching', to: '/affiliate-matching', key: 'i' },
  { label: 'Marketplace', to: '/marketplace', key: 'm' },
  { label: 'Forum', to: '/forum', key: 'f' },
  { label: 'About', to: '/about' },
  { label: 'Consulting', to: '/consulting' },
  { label: 'Dashboard', to: '/dashboard', key: 'd' },
  { label: 'Analytics', to: '/analytics', key: 'a' },
];

export const navigation: readonly NavEntry[] = TOP.filter(({ to }) => isOn(to));

/** Beside the work pages of a signed-in person, by jobs. What the header has is not listed again. */
const WORK: readonly WorkEntry[] = [
  {
    label: 'Links',
    to: '/links',
    icon: 'links',
    key: 'l',
    sections: [
      { label: 'My partners', to: '/links/partners' },
      { label: 'Social channels', to: '/links/channels' },
    ],
  },
  {
    label: 'Conversions',
    to: '/conversions',
    icon: 'conversions',
    key: 'c',
    sections: [
      { label: 'Network reports', to: '/conversions/networks' },
      { label: 'Ad platforms', to: '/conversions/ad-platforms' },
    ],
  },
  {
    label: 'Payouts',
    to: '/payouts',
    icon: 'payouts',
    key: 'p',
    sections: [
      { label: 'Reconciliation', to: '/payouts/reconciliation' },
      { label: 'Statements', to: '/payouts/statements' },
      { label: 'Costs', to: '/payouts/costs' },
    ],
  },
  { label: 'Insights', to: '/insights', icon: 'insights', key: 'n' },
  { label: 'Builder', to: '/builder', icon: 'builder', key: 'b' },
  { label: 'SQL', to: '/sql', icon: 'sql', key: 'q', role: 'analyst' },
  { label: 'Learn', to: '/learn', icon: 'learn', key: 'e', apart: true },
  { label: 'Admin', to: '/admin', icon: 'admin', key: 'x', role: 'admin', apart: true, groups: adminGroups },
];

/** In the website switcher, once there is such a page. */
export const ALL_WEBSITES = '/websites';

const FOOTER: readonly FooterColumn[] = [
  {
    title: 'Product',
    links: [
      { label: 'Features', to: '/', hash: 'features' },
      { label: 'Pricing', to: '/pricing' },
      { label: 'API Documentation', to: '/docs/api' },
      { label: 'Integrations', to: '/integrations' },
    ],
  },
  {
    title: 'Company',
    links: [
      { label: 'About', to: '/about' },
      { label: 'Consulting', to: '/consulting' },
      { label: 'Blog', to: '/blog' },
      { label: 'Careers', to: '/careers' },
    ],
  },
  {
    title: 'Support',
    links: [
      { label: 'Help Center', to: '/help' },
      { label: 'Contact', to: '/contact' },
      { label: 'Privacy Policy', to: '/privacy' },
      { label: 'Terms of Service', to: '/terms' },
    ],
  },
];

export const footer: readonly FooterColumn[] = FOOTER.map((column) => ({
  ...column,
  links: column.links.filter(({ to }) => isOn(to)),
}));

/** The side navigation of this person. Entries whose page does not exist (yet) are left out. */
export const workFor = (user: User, router: AnyRouter): readonly WorkEntry[] =>
  WORK.filter(
    (entry) =>
      hasPage(router, entry.to) && (!entry.role || user.roles.some((role) => role === entry.role || role === 'admin')),
  );

export const hasPage = (router: AnyRouter, path: string): boolean =>
  isOn(path) && Object.hasOwn(router.routesByPath as Record<string, unknown>, path);

/** Targets without a page among those that are always shown: must be empty. */
export const deadEnds = (router: AnyRouter): string[] =>
  [...navigation, ...footer.flatMap((column) => column.links), ...adminSections]
    .map((entry) => entry.to)
    .filter((path) => !hasPage(router, path));
