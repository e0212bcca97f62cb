// Who gets the newsletter of a site.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type SiteSubscriber = components['schemas']['SiteSubscriber'];
export type SubscriberState = SiteSubscriber['state'];

const KEY = 'site-subscribers';

export const siteSubscribersQuery = (id: string, state: SubscriberState | undefined) =>
  infiniteQueryOptions({
    queryKey: [KEY, id, state],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/platform/sites/{id}/subscribers', {
          params: {
            path: { id },
            query: { limit: 50, ...(pageParam ? { cursor: pageParam } : {}), ...(state ? { state } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const subscribersFile = (id: string): string => `/api/platform/sites/${id}/subscribers.csv`;

export const removeSubscriber = (id: string) =>
  command({
    send: (subscriberId: string) =>
      done(
        api.DELETE('/api/platform/sites/{id}/subscribers/{subscriberId}', { params: { path: { id, subscriberId } } }),
      ),
    changes: [[KEY, id]],
    success: 'Subscriber removed',
    failure: 'Failed to remove the subscriber',
  });
