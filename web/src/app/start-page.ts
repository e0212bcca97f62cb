// Where a person starts after signing in.
import type { QueryClient } from '@tanstack/react-query';
import { websitesQuery } from '@/lib/shared-queries';
import { summaryQuery } from '@/features/websites/api/summary';

/** All websites for a person with several of their own, else the dashboard; the dashboard also while that is not known. */
export async function startPage(client: QueryClient): Promise<'/websites' | '/dashboard'> {
  try {
    const visible = await client.fetchQuery(websitesQuery);
    if (visible.length < 2) return '/dashboard';
    // An admin sees the websites of others as well.
    const { websites } = await client.fetchQuery(summaryQuery());
    return websites.length > 1 ? '/websites' : '/dashboard';
  } catch {
    return '/dashboard';
  }
}
