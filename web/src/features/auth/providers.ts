import { queryOptions } from '@tanstack/react-query';
import { errorOf } from '@/lib/api/errors';

export const PROVIDERS = [
  { id: 'google', name: 'Google' },
  { id: 'github', name: 'GitHub' },
  { id: 'microsoft', name: 'Microsoft' },
  { id: 'linkedin', name: 'LinkedIn' },
] as const;

/** The ids of those that this installation is set up for. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }): Promise<string[]> => {
    const response = await fetch(new URL('/api/platform/auth/providers', window.location.origin), { signal });
    if (!response.ok) throw await errorOf(response);
    return ((await response.json()) as { id: string; configured: boolean }[]).filter((item) => item.configured).map((item) => item.id);
  },
});
