import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { link, socialChannel } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { at, refuse, requests, server, state } from '@/test/server';

const seen = (line: string) => state.seen.findLast((item) => item.line === line)?.body;

beforeEach(() => signIn());

test('a channel is added by network and handle; what is no handle is explained at the field', async () => {
  server.use(
    http.post(
      at('/api/platform/social-channels'),
      () =>
        refuse(400, 'The request is invalid.', 'bad_handle', [
          { field: 'handle', message: 'A handle on TikTok has 2 to 24 letters, digits, underscores and dots.' },
        ]),
      { once: true },
    ),
    http.post(at('/api/platform/social-channels'), () => {
      state.socialChannels = [socialChannel({ network: 'tiktok' })];
      return HttpResponse.json(state.socialChannels[0], { status: 201 });
    }),
  );
  const { user } = renderApp('/links/channels');
  expect(await screen.findByText('No social channels yet')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add channel' })).toBeDisabled();
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
  server.use(http.post(at('/api/platform/social-channels/{id}/links'), () => HttpResponse.json(made, { status: 201 })));
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

test('a channel is renamed and removed', async () => {
  state.socialChannels = [socialChannel()];
  server.use(
    http.patch(at('/api/platform/social-channels/{id}'), () => HttpResponse.json(socialChannel())),
    http.delete(at('/api/platform/social-channels/{id}'), () => new HttpResponse(null, { status: 204 })),
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
