import type { Activity } from '@/lib/api/types';
import { adminSections } from '@/lib/admin/sections';

export interface Page {
  readonly to: string;
  readonly search: Record<string, string>;
}

/** The page of an activity's subject, if there is one. */
export function pageOf({
  type,
  subjectId,
  websiteId,
}: Pick<Activity, 'type' | 'subjectId' | 'websiteId'>): Page | null {
  const [context = ''] = type.split('.');
  switch (context) {
    case 'partner':
      return { to: '/admin', search: { tab: 'partners', partner: subjectId } };
    case 'link':
      return type === 'link.deleted' ? null : { to: '/admin', search: { tab: 'links', link: subjectId } };
    case 'conversion':
      return { to: '/admin', search: { tab: 'clicks', conversion: subjectId } };
    case 'website':
      return websiteId && type !== 'website.disconnected' ? { to: '/analytics', search: { website: websiteId } } : null;
    case 'projection':
      return section('/admin/projections');
    case 'dead_letter':
      return section('/admin/dead-letters');
    case 'account':
      return section('/admin/accounts');
    default:
      return null;
  }
}

const section = (to: string): Page | null => (adminSections.some((item) => item.to === to) ? { to, search: {} } : null);
