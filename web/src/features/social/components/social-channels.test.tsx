import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { link, socialChannel } from '@/test/fixtures';
import type { SocialConnection } from '@/lib/api/types';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const seen = (line: string) => state.seen.findLast((item) => item.line === line)?.body;

beforeEach(() => signIn());

test('a channel is added by network and handle; what is no handle is explained at the field', async () => {
  server.use(
    http.post(
      '/api/platform/social-channels',
      () =>
        refuse(400, 'The request is invalid.', 'bad_handle', [
          { field: 'handle', message: 'A handle on TikTok has 2 to 24 letters, digits, underscores and dots.' },
        ]),
      { once: true },
    ),
    http.post('/api/platform/social-channels', () => {
      const added = socialChannel({ network: 'tiktok' });
      state.socialChannels = [added];
      return json(added, { status: 201 });
    }),
  );
  const { user } = renderApp('/links/channels');
  expect(await screen.findByText('No social channels yet')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Add channel' })).toBeDisabled();
  await user.selectOptions(screen.getByLabelText('Network'), 'TikTok');
  await user.type(screen.getByLabelText('Handle or address'), '@fjord.tests');
  await user.click(screen.getByRole('button', { name: 'Add channel' }));
  await waitFor(() =>
    expect(screen.getByLabelText('Handle or address')).toHaveAccessibleDescription(/A handle on TikTok has/),
  );
  await user.click(screen.getByRole('button', { name: 'Add channel' }));
  expect(await screen.findByText('Channel added')).toBeInTheDocument();
  expect(seen('POST /api/platform/social-channels')).toEqual({
    websiteId: 'w1',
    network: 'tiktok',
    handle: '@fjord.tests',
  });
  const table = await screen.findByRole('region', { name: /^Social channels of/ });
  expect(table).toHaveTextContent(/@fjord\.tests.*TikTok.*340.*7.*\$87\.50/);
});

test('one click makes a link with its QR code', async () => {
  state.socialChannels = [socialChannel()];
  const made = { ...link({ slug: 'ig-nordvpn', url: 'http://t.example/go/ig-nordvpn' }) };
  server.use(http.post('/api/platform/social-channels/{id}/links', () => json(made, { status: 201 })));
  const { user } = renderApp('/links/channels');
  await user.click(await screen.findByRole('button', { name: 'Create link for @fjord.tests' }));
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  const dialog = await screen.findByRole('dialog', { name: 'Link created' });
  expect(seen('POST /api/platform/social-channels/s1/links')).toEqual({ partnerId: 'p1' });
  expect(within(dialog).getByRole('img', { name: 'QR code of http://t.example/go/ig-nordvpn' })).toHaveAttribute(
    'src',
    '/api/platform/links/l1/qr.svg',
  );
  expect(within(dialog).getByRole('link', { name: 'Download QR code' })).toHaveAttribute('download', 'ig-nordvpn.svg');
});

const connection = (over: Partial<SocialConnection> = {}): SocialConnection => ({
  channelId: 's1',
  name: 'fjord.tests',
  hasEnded: false,
  connectedAt: '2026-11-20T00:00:00Z',
  checkedAt: '2026-11-20T00:00:00Z',
  succeededAt: '2026-11-20T00:00:00Z',
  nextAt: '2026-11-21T00:00:00Z',
  problem: null,
  followers: 1200,
  posts: 88,
  views: null,
  ...over,
});

const connects = (...connections: SocialConnection[]) =>
  server.use(
    http.get('/api/platform/social-channels/connections', () => json({ networks: ['instagram'], connections })),
  );

test('a connected channel shows its account and counts, is read now and disconnected', async () => {
  state.socialChannels = [socialChannel()];
  connects(connection());
  server.use(
    http.post('/api/platform/social-channels/{id}/connection/read', () => noContent(202)),
    http.delete('/api/platform/social-channels/{id}/connection', () => noContent()),
  );
  const { user } = renderApp('/links/channels');
  expect(await screen.findByText('Connected as fjord.tests · 1,200 followers · 88 posts')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Read now: @fjord.tests' }));
  expect(await screen.findByText('Reading started')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Disconnect @fjord.tests' }));
  await user.click(await screen.findByRole('button', { name: 'Disconnect' }));
  await waitFor(() => expect(requests('DELETE')).toEqual(['DELETE /api/platform/social-channels/s1/connection']));
});

test('an ended connection says so; without a configured network there is nothing to connect', async () => {
  state.socialChannels = [socialChannel(), socialChannel({ id: 's2', network: 'tiktok', name: 'Clips' })];
  connects(connection({ hasEnded: true, nextAt: null }));
  renderApp('/links/channels');
  expect(await screen.findByText('Connection ended: connect again')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Connect @fjord.tests' })).toHaveTextContent('Connect again');
  expect(screen.queryByRole('button', { name: 'Connect Clips' })).not.toBeInTheDocument();
});

test('what a network sends back is handed on once', async () => {
  server.use(
    http.post('/api/platform/social-channels/connections', () =>
      json({ channelId: 's1', websiteId: 'w1', name: 'fjord.tests' }, { status: 201 }),
    ),
  );
  renderApp('/links/channels/connect?state=abc&code=xyz');
  expect(await screen.findByText('Channel connected')).toBeInTheDocument();
  expect(seen('POST /api/platform/social-channels/connections')).toEqual({ state: 'abc', code: 'xyz' });
  expect(requests('POST')).toHaveLength(1);
});

test('a channel is renamed and removed', async () => {
  state.socialChannels = [socialChannel()];
  server.use(
    http.patch('/api/platform/social-channels/{id}', () => json(socialChannel())),
    http.delete('/api/platform/social-channels/{id}', () => noContent()),
  );
  const { user } = renderApp('/links/channels');
  await user.click(await screen.findByRole('button', { name: 'Rename @fjord.tests' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rename @fjord.tests' });
  await user.clear(within(dialog).getByLabelText('Name'));
  await user.type(within(dialog).getByLabelText('Name'), 'Main account');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(seen('PATCH /api/platform/social-channels/s1')).toEqual({ name: 'Main account' }));
  await user.click(screen.getByRole('button', { name: 'Remove @fjord.tests' }));
  expect(requests('DELETE')).toEqual([]);
  await user.click(await screen.findByRole('button', { name: 'Remove channel' }));
  await waitFor(() => expect(requests('DELETE')).toEqual(['DELETE /api/platform/social-channels/s1']));
});
