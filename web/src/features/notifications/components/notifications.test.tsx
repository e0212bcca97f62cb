import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { notification } from '@/test/forum';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const nothing = () => noContent();
const sent = (line: string) => state.seen.find((item) => item.line.startsWith(line))?.body;

test('the bell says how many are new and shows the newest; opening one marks it', async () => {
  signIn();
  server.use(
    http.get('/api/platform/notifications/unseen', () => json({ unseen: 3 })),
    http.get('/api/platform/notifications', () =>
      json([
        notification(),
        notification({ id: 'n2', kind: 'moderation', title: 'Your suspension has ended', path: '', seen: true }),
      ]),
    ),
    http.post('/api/platform/notifications/{id}/seen', nothing),
    http.get('/api/forum/threads/{id}', () => refuse(404, 'Thread not found.')),
    http.get('/api/forum/categories', () => json([])),
    http.post('/api/public/forum/threads/{id}/view', nothing),
  );
  const { user, router } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Notifications, 3 new' }));
  const popover = within(await screen.findByRole('dialog', { name: 'Notifications' }));
  expect(await popover.findByText('Your suspension has ended')).toBeInTheDocument();
  await user.click(popover.getByRole('link', { name: /Embla mentioned you/ }));
  await vi.waitFor(() => expect(router.state.location.href).toBe('/forum/thread/t1?post=p2'));
  expect(requests('POST /api/platform/notifications/n1/seen')).toHaveLength(1);
});

test('a notification of any kind has its words and leads where it says; an address of elsewhere leads nowhere', async () => {
  signIn();
  server.use(
    http.get('/api/platform/notifications', () =>
      json([
        notification({
          id: 'n1',
          kind: 'deal',
          title: "The buyer's money is in escrow: please transfer the website",
          path: '/marketplace/deals/o1?side=seller#escrow',
        }),
        notification({ id: 'n2', kind: 'never_heard_of', title: 'Something new', path: '//evil.example/x' }),
      ]),
    ),
  );
  renderApp('/notifications');
  expect(
    await screen.findByRole('link', { name: /The buyer's money is in escrow: please transfer the website/ }),
  ).toHaveAttribute('href', '/marketplace/deals/o1?side=seller#escrow');
  expect(screen.getByRole('button', { name: /Something new/ })).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: /Something new/ })).not.toBeInTheDocument();
});

test('several of one deal are one thread: the newest, and a button that opens those before', async () => {
  signIn();
  const path = '/marketplace/deals/o1';
  server.use(
    http.get('/api/platform/notifications', () =>
      json([
        notification({ id: 'n3', kind: 'deal', title: 'Nora paid $20,500', path }),
        notification({ id: 'n4', kind: 'like', title: 'Tom likes your post', path: '/forum/thread/t1' }),
        notification({ id: 'n2', kind: 'deal', title: 'Nora accepted $20,500', path, seen: false }),
        notification({ id: 'n1', kind: 'offer', title: 'Nora offers $20,000', path: `${path}?side=seller` }),
      ]),
    ),
  );
  const { user } = renderApp('/notifications');
  const list = await screen.findByRole('list', { name: 'Notifications' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByRole('link', { name: /accepted/ })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: '2 earlier about this deal (2 new)' }));
  expect(screen.getByRole('link', { name: /Nora accepted \$20,500/ })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: /Nora offers \$20,000/ })).toBeInTheDocument();
});

test('the page: all, new only, mark all as seen, empty', async () => {
  signIn();
  server.use(
    http.get('/api/platform/notifications', ({ request }) =>
      json(new URL(request.url).searchParams.get('unseen') === 'true' ? [] : [notification()]),
    ),
    http.post('/api/platform/notifications/seen', nothing),
  );
  const { user } = renderApp('/notifications');
  expect(await screen.findByRole('link', { name: /Embla mentioned you.*\(new\)/ })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Mark all as read' }));
  await vi.waitFor(() => expect(requests('POST /api/platform/notifications/seen')).toHaveLength(1));
  await user.selectOptions(screen.getByLabelText('Notifications', { selector: 'select' }), 'New only');
  expect(await screen.findByText('Nothing new.')).toBeInTheDocument();
});

test('notifications are chosen in Account Settings; a refused choice is reverted', async () => {
  signIn();
  server.use(
    http.get('/api/platform/notification-preferences', () =>
      json([
        { kind: 'like', title: 'Someone likes your post', inApp: true, mail: 'off', atOnce: false },
        { kind: 'deal', title: 'Your deals', inApp: true, mail: 'off', atOnce: true },
      ]),
    ),
    http.put(
      '/api/platform/notification-preferences/{kind}',
      () => json({ kind: 'like', title: 'Someone likes your post', inApp: true, mail: 'weekly', atOnce: false }),
      { once: true },
    ),
  );
  const { user } = renderApp('/account-settings?tab=notifications');
  await user.selectOptions(await screen.findByLabelText('Someone likes your post: by email'), 'Once a week');
  expect(await screen.findByText('Preference saved', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Emailed right away')).toBeInTheDocument();
  expect(screen.queryByLabelText('Your deals: by email')).not.toBeInTheDocument();
  expect(sent('PUT /api/platform/notification-preferences/like')).toEqual({ inApp: true, mail: 'weekly' });
  server.use(http.put('/api/platform/notification-preferences/{kind}', () => refuse(503, 'Not now.')));
  await user.click(screen.getByRole('checkbox', { name: 'Someone likes your post: in the app' }));
  expect(await screen.findByText('Not now.', { exact: true })).toBeInTheDocument();
  expect(screen.getByRole('checkbox', { name: 'Someone likes your post: in the app' })).toBeChecked();
});

test('the link of a digest stops the mails, on a press of the button only', async () => {
  server.use(
    http.post('/api/public/notifications/unsubscribe', () =>
      json({
        ok: true,
        message: 'You will no longer get these emails. You can turn them on again in your settings.',
      }),
    ),
  );
  const { user, router } = renderApp('/notifications/unsubscribe#code=abc');
  const button = await screen.findByRole('button', { name: 'Stop digest emails' });
  expect(requests('POST')).toHaveLength(0);
  await user.click(button);
  expect(
    await screen.findByText('You will no longer get these emails. You can turn them on again in your settings.'),
  ).toBeInTheDocument();
  expect(sent('POST /api/public/notifications/unsubscribe')).toEqual({ code: 'abc' });
  expect(router.state.location.hash).toBe('');
});
