// Every target of the navigation, in the order of the specification. An entry shows only once its screen is built.
import type { AnyRouter } from '@tanstack/react-router';
import type { User } from '@/lib/session';

export interface NavEntry {
  readonly label: string;
  readonly to: string;
  readonly built: boolean;
  /** The part of the page. */
  readonly hash?: string;
  /** Shown only with a session, or with this role. */
  readonly role?: 'member' | 'admin' | 'analyst';
  /** Pressed after "g". */
  readonly key?: string;
}

export interface FooterColumn {
  readonly title: string;
  readonly links: readonly NavEntry[];
}

const NAVIGATION: readonly NavEntry[] = [
  { label: 'Home', to: '/', built: true, key: 'h' },
  { label: 'AI Matching', to: '/affiliate-matching', built: true, key: 'i' },
  { label: 'Marketplace', to: '/marketplace', built: true, key: 'm' },
  { label: 'Forum', to: '/forum', built: true, key: 'f' },
  { label: 'About', to: '/about', built: true },
  { label: 'Consulting', to: '/consulting', built: true },
  { label: 'Dashboard', to: '/dashboard', built: true, key: 'd' },
  { label: 'Analytics', to: '/analytics', built: true, key: 'a' },
  { label: 'Conversions', to: '/conversions', built: true, key: 'c', role: 'member' },
  { label: 'Learn', to: '/learn', built: true, key: 'l', role: 'member' },
  { label: 'SQL', to: '/sql', built: true, key: 'q', role: 'analyst' },
  { label: 'Admin', to: '/admin', built: true, key: 'x', role: 'admin' },
];

const FOOTER: readonly FooterColumn[] = [
  {
    title: 'Product',
    links: [
      { label: 'Features', to: '/', hash: 'features', built: true },
      { label: 'Pricing', to: '/pricing', built: true },
      { label: 'API Documentation', to: '/docs/api', built: true },
      { label: 'Integrations', to: '/integrations', built: true },
    ],
  },
  {
    title: 'Company',
    links: [
      { label: 'About', to: '/about', built: true },
      { label: 'Consulting', to: '/consulting', built: true },
      { label: 'Blog', to: '/blog', built: true },
      { label: 'Careers', to: '/careers', built: true },
    ],
  },
  {
    title: 'Support',
    links: [
      { label: 'Help Center', to: '/help', built: true },
      { label: 'Contact', to: '/contact', built: true },
      { label: 'Privacy Policy', to: '/privacy', built: true },
      { label: 'Terms of Service', to: '/terms', built: true },
    ],
  },
];

const isBuilt = (entry: NavEntry): boolean => entry.built;

/** Entries without access rules. */
export const navigation: readonly NavEntry[] = NAVIGATION.filter((entry) => isBuilt(entry) && !entry.role);

/** What this person sees. An admin may do all that an analyst may. */
export const navigationFor = (user: User | undefined): readonly NavEntry[] =>
  NAVIGATION.filter(
    (entry) =>
      isBuilt(entry) &&
      (!entry.role ||
        (entry.role === 'member'
          ? user !== undefined
          : user?.roles.some((role) => role === entry.role || role === 'admin'))),
  );

export const footer: readonly FooterColumn[] = FOOTER.map((column) => ({
  ...column,
  links: column.links.filter(isBuilt),
})).filter((column) => column.links.length > 0);

/** Targets that say they are built and have no screen: must be empty. */
export function deadEnds(router: AnyRouter): string[] {
  const known = new Set(Object.keys(router.routesByPath as Record<string, unknown>));
  return [...NAVIGATION, ...FOOTER.flatMap((column) => column.links)]
    .filter((entry) => entry.built && !known.has(entry.to))
    .map((entry) => entry.to);
}
