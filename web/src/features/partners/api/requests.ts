import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** The member's own requests, newest first. */
export const requestsQuery = queryOptions({
  queryKey: ['partner-requests'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/partner-requests', { signal })),
});

/** Requests that await a decision, oldest first. */
export const openRequestsQuery = queryOptions({
  queryKey: ['admin', 'partner-requests'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partner-requests', { signal })),
});
