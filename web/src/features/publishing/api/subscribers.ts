// Who gets the newsletter of a site.
import { answer, api, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type SiteSubscriber = components['schemas']['SiteSubscriber'];
export type SubscriberState = SiteSubscriber['state'];

const KEY = 'site-subscribers';

export const siteSubscribersQuery = (id: string, state: SubscriberState | undefined) =>
  cursorQuery({
    queryKey: [KEY, id, state],
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/sites/{id}/subscribers', {
          params: {
            path: { id },
            query: { limit: 50, ...at, ...(state ? { state } : {}) },
          },
          signal,
        }),
      ),
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
