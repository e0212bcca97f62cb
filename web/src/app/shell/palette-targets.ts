import type { AnyRouter } from '@tanstack/react-router';
import type { Found } from '@/features/search/api/search';
import { isAdmin, type User } from '@/lib/session';
import { hasPage } from '../navigation';

/** Where an object is looked at: an admin manages partners, a member sees what a partner earned. */
export function addressOf({ kind, id, websiteId }: Found, user: User | undefined, router: AnyRouter): string {
  const ofWebsite = `website=${websiteId ?? ''}`;
  switch (kind) {
    case 'website':
      return `/dashboard?website=${id}`;
    case 'partner':
      return isAdmin(user) ? `/admin?tab=partners&partner=${id}` : `/analytics?f=is,partner,${id}`;
    case 'link':
      if (hasPage(router, '/links')) return `/links?${ofWebsite}&link=${id}`;
      return isAdmin(user) ? `/admin?tab=links&link=${id}` : `/dashboard?${ofWebsite}`;
    case 'transaction':
      return `/conversions?${ofWebsite}&open=${id}`;
    case 'thread':
      return `/forum/thread/${id}`;
    case 'listing':
      return `/marketplace/listing/${id}`;
  }
}
