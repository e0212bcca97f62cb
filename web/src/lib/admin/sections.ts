import { isOn } from '@/lib/modules';

export const ADMIN_GROUPS = ['People', 'Money', 'Content', 'System'] as const;

/** An admin page. Add a line here and a route below `admin` in the router: the entry appears in the navigation. */
export interface AdminSection {
  readonly group: (typeof ADMIN_GROUPS)[number];
  readonly label: string;
  readonly to: string;
  /** Heading of the page; the label otherwise. */
  readonly title?: string;
}

const SECTIONS: readonly AdminSection[] = [
  { group: 'People', label: 'Accounts', to: '/admin/accounts' },
  { group: 'People', label: 'Inquiries', to: '/admin/inquiries' },
  { group: 'People', label: 'Subscribers', to: '/admin/subscribers' },
  { group: 'Money', label: 'Affiliates', to: '/admin' },
  { group: 'Money', label: 'Exchange rates', to: '/admin/exchange-rates' },
  { group: 'Content', label: 'Websites', to: '/admin/websites' },
  { group: 'Content', label: 'Domains', to: '/admin/domains' },
  { group: 'Content', label: 'Programs', to: '/admin/programs', title: 'Affiliate programs' },
  { group: 'Content', label: 'Marketplace', to: '/admin/listings', title: 'Marketplace moderation' },
  { group: 'System', label: 'Audit trail', to: '/admin/audit-trail' },
  { group: 'System', label: 'Outbox', to: '/admin/outbox', title: 'Email outbox' },
  { group: 'System', label: 'Projections', to: '/admin/projections', title: 'Projections and replays' },
  { group: 'System', label: 'Dead letters', to: '/admin/dead-letters' },
  { group: 'System', label: 'System', to: '/admin/system', title: 'System status' },
];

export const adminSections: readonly AdminSection[] = SECTIONS.filter(({ to }) => isOn(to));

export interface AdminGroup {
  readonly label: string;
  readonly sections: readonly AdminSection[];
}

export const adminGroups: readonly AdminGroup[] = ADMIN_GROUPS.map((label) => ({
  label,
  sections: adminSections.filter((section) => section.group === label),
}));

/** The group of the page at `path`. */
export const adminGroupOf = (path: string): AdminGroup | undefined =>
  adminGroups.find(({ sections }) => sections.some(({ to }) => to === path));
