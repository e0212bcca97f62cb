// Where a person starts after signing in.
import type { QueryClient } from '@tanstack/react-query';
import { websitesQuery } from '@/lib/api/shared-queries';

/** All websites for a person with several, else the dashboard; the dashboard also while that is not known. */
export async function startPage(client: QueryClient): Promise<'/websites' | '/dashboard'> {
  try {
    return (await client.fetchQuery(websitesQuery)).length > 1 ? '/websites' : '/dashboard';
  } catch {
    return '/dashboard';
  }
}
