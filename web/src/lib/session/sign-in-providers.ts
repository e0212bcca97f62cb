// With which providers one may sign in on this installation.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/auth/providers', { signal })),
});

/** Their order and names, for the moment before the answer is there. */
export const PROVIDERS = [
  { name: 'google', label: 'Google' },
  { name: 'github', label: 'GitHub' },
  { name: 'microsoft', label: 'Microsoft' },
  { name: 'linkedin', label: 'LinkedIn' },
] as const;

export const providerLabel = (name: string): string => PROVIDERS.find((item) => item.name === name)?.label ?? name;
