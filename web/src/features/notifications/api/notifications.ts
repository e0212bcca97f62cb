import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type Notification = components['schemas']['Notification'];
export type Preference = components['schemas']['NotificationPreference'];
export type DigestMail = Preference['mail'];

const PAGE = 20;
const AGAIN_MS = 60_000;

/** Number of unread notifications; refetched every minute while the page is visible. */
export const unseenQuery = queryOptions({
  queryKey: ['notifications', 'unseen'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/notifications/unseen', { signal })),
  staleTime: AGAIN_MS,
  refetchInterval: AGAIN_MS,
});

export const notificationsQuery = (unseenOnly: boolean) =>
  cursorQuery({
    queryKey: ['notifications', 'list', unseenOnly],
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/notifications', {
          params: { query: { limit: PAGE, unseen: unseenOnly, ...at } },
          signal,
        }),
      ),
    staleTime: 0,
  });

export const preferencesQuery = queryOptions({
  queryKey: ['notifications', 'preferences'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/notification-preferences', { signal })),
  staleTime: 0,
});

const NOTIFICATIONS = [['notifications']];

/** Failures are ignored: it stays unread. */
export const see = command({
  send: (id: string) => done(api.POST('/api/platform/notifications/{id}/seen', { params: { path: { id } } })),
  changes: NOTIFICATIONS,
});

export const seeAll = command({
  send: () => done(api.POST('/api/platform/notifications/seen', {})),
  changes: NOTIFICATIONS,
  failure: 'Failed to mark notifications as read',
});

export const choose = command({
  queue: 'notification-choices',
  send: ({ kind, inApp, mail }: Pick<Preference, 'kind' | 'inApp' | 'mail'>) =>
    body(
      api.PUT('/api/platform/notification-preferences/{kind}', { params: { path: { kind } }, body: { inApp, mail } }),
    ),
  expect: async (client, chosen) => {
    const show = (choice: Partial<Preference>) =>
      client.setQueryData(preferencesQuery.queryKey, (rows) =>
        rows?.map((row) => (row.kind === chosen.kind ? { ...row, ...choice } : row)),
      );
    await client.cancelQueries(preferencesQuery);
    const before = client.getQueryData(preferencesQuery.queryKey)?.find((row) => row.kind === chosen.kind);
    show(chosen);
    return () => before && show(before);
  },
  changes: NOTIFICATIONS,
  success: 'Preference saved',
  failure: 'Failed to save the preference',
});

export const stopMails = async (code: string): Promise<string> =>
  (await body(api.POST('/api/public/notifications/unsubscribe', { body: { code } }))).message;
