import { keepPreviousData } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { OwnedFilter } from '@/lib/admin/owned';

const ADMIN_WEBSITES = ['admin-websites'] as const;

export const adminWebsitesQuery = ({ search, sort }: OwnedFilter) =>
  cursorQuery({
    queryKey: [...ADMIN_WEBSITES, search, sort] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/websites', {
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
export const disconnectWebsite = (id: string) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/websites/{id}/disconnect', { params: { path: { id } }, body: { reason } })),
    changes: [ADMIN_WEBSITES],
    success: 'Website disconnected',
  });
