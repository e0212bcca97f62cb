import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type Found = components['schemas']['Result'];
export type FoundKind = Found['kind'];

/** Shorter words match too much to be of use. */
export const MIN_LENGTH = 2;
export const MAX_LENGTH = 200;

/** Websites, partners, links, saved views, transactions, threads and listings by a part of their name. */
export const searchQuery = (words: string) =>
  queryOptions({
    queryKey: ['search', words],
    queryFn: ({ signal }) => body(api.GET('/api/platform/search', { params: { query: { q: words } }, signal })),
    enabled: words.length >= MIN_LENGTH && words.length <= MAX_LENGTH,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
