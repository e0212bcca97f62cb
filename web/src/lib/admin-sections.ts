/** An admin page. Add a line here and a route below `admin` in the router: the entry appears in the layout. */
export interface AdminSection {
  readonly label: string;
  readonly to: string;
}

export const adminSections: readonly AdminSection[] = [
  { label: 'Affiliates', to: '/admin' },
  { label: 'Accounts', to: '/admin/accounts' },
  { label: 'Inquiries', to: '/admin/inquiries' },
  { label: 'Subscribers', to: '/admin/subscribers' },
  { label: 'Programs', to: '/admin/programs' },
  { label: 'Marketplace', to: '/admin/listings' },
  { label: 'Audit trail', to: '/admin/audit-trail' },
  { label: 'Outbox', to: '/admin/outbox' },
  { label: 'Projections', to: '/admin/projections' },
  { label: 'Dead letters', to: '/admin/dead-letters' },
  { label: 'System', to: '/admin/system' },
];
