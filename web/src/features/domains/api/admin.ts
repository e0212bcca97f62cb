import { keepPreviousData } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { OwnedFilter } from '@/lib/admin/owned';

const ADMIN_DOMAINS = ['admin-domains'] as const;

export const adminDomainsQuery = ({ search, sort }: OwnedFilter) =>
  cursorQuery({
    queryKey: [...ADMIN_DOMAINS, search, sort] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/domains', {
          params: {
            query: { limit: 50, sort, ...(search ? { search } : {}), ...at },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** By an admin, who gives a reason. */
export const removeDomain = (id: string) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/domains/{id}/remove', { params: { path: { id } }, body: { reason } })),
    changes: [ADMIN_DOMAINS],
    success: 'Domain removed',
  });
