import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const linksQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['links', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links', { params: { query: { websiteId } }, signal })),
  });
