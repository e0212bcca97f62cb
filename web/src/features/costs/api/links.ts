// The links that a cost may be for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** More are found by their text. */
export const MAX_CHOICES = 100;

/** Links of the website, the newest first. */
export const linkChoicesQuery = (websiteId: string, search: string) =>
  queryOptions({
    queryKey: ['links', websiteId, 'choices', search, MAX_CHOICES] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/links', {
          params: { query: { websiteId, limit: MAX_CHOICES, ...(search ? { search } : {}) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
