// The links of all members, and what admins do with one, for which they give a reason.
import { keepPreviousData } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { OwnedSort } from '@/lib/admin/owned';

interface AllLinksFilter {
  readonly search: string;
  readonly linkId: string | undefined;
  readonly sort: OwnedSort;
}

export const allLinksQuery = ({ search, linkId, sort }: AllLinksFilter) =>
  cursorQuery({
    queryKey: ['links', 'all', { search, linkId, sort }] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/links', {
          params: {
            query: {
              limit: 50,
              sort,
              ...(search ? { search } : {}),
              ...(linkId ? { linkId } : {}),
              ...at,
            },
          },
          signal,
        }),
      ),
    // Previous results stay during a new search.
    placeholderData: keepPreviousData,
  });

const changes = [['links']];

export const pauseLink = (id: string) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/links/{id}/pause', { params: { path: { id } }, body: { reason } })),
    changes,
    success: 'Link paused',
  });

export const resumeLink = (id: string) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/links/{id}/resume', { params: { path: { id } }, body: { reason } })),
    changes,
    success: 'Link resumed',
  });

export const deleteLink = (id: string) =>
  command({
    send: (reason: string) =>
      done(api.POST('/api/admin/links/{id}/delete', { params: { path: { id } }, body: { reason } })),
    changes,
    success: 'Link deleted',
  });
