import type { Found } from '@/features/search/api/search';
import { isAdmin, type User } from '@/lib/session';

/** Where an object is looked at: an admin manages partners, a member sees what a partner earned. */
export function addressOf({ kind, id, websiteId }: Found, user: User | undefined): string {
  const ofWebsite = `website=${websiteId ?? ''}`;
  switch (kind) {
    case 'website':
      return `/dashboard?website=${id}`;
    case 'partner':
      return isAdmin(user) ? `/admin?tab=partners&partner=${id}` : `/analytics?f=is,partner,${id}`;
    case 'link':
      return `/links/${id}`;
    case 'view':
      return `/analytics?${websiteId ? `${ofWebsite}&` : ''}open=${id}`;
    case 'transaction':
      return `/conversions?${ofWebsite}&open=${id}`;
    case 'thread':
      return `/forum/thread/${id}`;
    case 'listing':
      return `/marketplace/listing/${id}`;
  }
}
