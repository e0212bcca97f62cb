/** An admin page. Add a line here and a route below `admin` in the router: the entry appears in the navigation. */
export interface AdminSection {
  readonly label: string;
  readonly to: string;
  /** Heading of the page; the label otherwise. */
  readonly title?: string;
}

export const adminSections: readonly AdminSection[] = [
  { label: 'Affiliates', to: '/admin' },
  { label: 'Accounts', to: '/admin/accounts' },
  { label: 'Websites', to: '/admin/websites' },
  { label: 'Domains', to: '/admin/domains' },
  { label: 'Inquiries', to: '/admin/inquiries' },
  { label: 'Subscribers', to: '/admin/subscribers' },
  { label: 'Programs', to: '/admin/programs', title: 'Affiliate programs' },
  { label: 'Marketplace', to: '/admin/listings', title: 'Marketplace moderation' },
  { label: 'Exchange rates', to: '/admin/exchange-rates' },
  { label: 'Audit trail', to: '/admin/audit-trail' },
  { label: 'Outbox', to: '/admin/outbox', title: 'Email outbox' },
  { label: 'Projections', to: '/admin/projections', title: 'Projections and replays' },
  { label: 'Dead letters', to: '/admin/dead-letters' },
  { label: 'System', to: '/admin/system', title: 'System status' },
];
