import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';
import type { ListingStatus } from '../lib/types';
import { at, FRESH, KEY } from './request';

export const reviewQuery = (status: ListingStatus, search: string) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'review', status, search] as const,
    queryFn: ({ pageParam, signal }) => {
      const query = { status, ...(search ? { search } : {}), ...at(pageParam) };
      return answer(api.GET('/api/admin/marketplace/listings', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const disputesQuery = infiniteQueryOptions({
  queryKey: [KEY, 'disputes'] as const,
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/admin/marketplace/disputes', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const flaggedQuery = infiniteQueryOptions({
  queryKey: [KEY, 'flagged'] as const,
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/admin/marketplace/questions', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const escrowCallsQuery = infiniteQueryOptions({
  queryKey: [KEY, 'escrow-calls'] as const,
  queryFn: ({ signal }) => answer(api.GET('/api/admin/marketplace/escrow-calls', { signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});
