import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];

export const domainsQuery = queryOptions({
  queryKey: ['custom-domains'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/custom-domains', { signal })),
  staleTime: 0,
});

const changes = [domainsQuery.queryKey];

export const addDomain = command({
  send: (domain: Schemas['AddDomain']) => body(api.POST('/api/platform/custom-domains', { body: domain })),
  changes,
  success: ['Domain added', 'Your custom domain has been added. Please verify DNS settings.'],
  failure: () => ['Error', 'Failed to add domain'],
});

/** `website`: the domain of the website that the links are of. */
export const checkDomain = (website = 'your website') =>
  command({
    send: (id: string) => body(api.POST('/api/platform/custom-domains/{id}/check', { params: { path: { id } } })),
    changes,
    success: ({ isVerified, domain, problem }) =>
      isVerified
        ? ['Domain verified', `Links of ${website} are served under ${domain}.`]
        : ['Not verified yet', problem ?? 'The record was not found.'],
    failure: 'Failed to check the domain',
  });

export const removeDomain = command({
  send: (id: string) => done(api.DELETE('/api/platform/custom-domains/{id}', { params: { path: { id } } })),
  changes,
  success: 'Domain removed',
  failure: 'Failed to remove domain',
});
