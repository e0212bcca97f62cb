import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { websitesQuery } from '@/lib/api/shared-queries';

export const connectWebsite = command({
  send: (website: { readonly domain: string; readonly timezone: string; readonly currency: string }) =>
    body(api.POST('/api/platform/websites', { body: website })),
  changes: [websitesQuery.queryKey],
});
