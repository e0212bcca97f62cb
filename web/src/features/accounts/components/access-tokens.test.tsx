// Access tokens in the account settings: created after proof, shown once, listed, revoked.
import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { server, state } from '@/test/server';

beforeEach(() => {
  vi.setSystemTime('2026-11-20T12:00:00Z');
  signIn();
});

afterEach(() => vi.useRealTimers());

const token = (id: string, more: object = {}) => ({
  id,
  name: `Report ${id}`,
  last4: 'x7Qa',
  scopes: ['read'],
  websiteIds: null,
  createdAt: '2026-11-01T12:00:00Z',
  expiresAt: '2027-11-01T12:00:00Z',
  lastUsedAt: null,
  ...more,
});

test('a token is created after proof and shown once', async () => {
  server.use(
    http.post('/api/platform/tokens', () => json({ ...token('t1'), token: 'althing_secret' }, { status: 201 })),
  );
  const { user } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'New token' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByLabelText(/^Name/), 'Nightly');
  await user.selectOptions(within(dialog).getByLabelText('Reads'), website().domain);
  await user.type(within(dialog).getByLabelText('Your password'), 'long-enough');
  await user.click(within(dialog).getByRole('button', { name: 'Create token' }));
  expect(await screen.findByText('althing_secret')).toBeInTheDocument();
  const sent = state.seen.find((item) => item.line.startsWith('POST /api/platform/tokens'))?.body;
  expect(sent).toMatchObject({
    name: 'Nightly',
    scopes: ['read'],
    websiteIds: [website().id],
    password: 'long-enough',
  });
});

test('tokens are listed with what they read and revoked after a question', async () => {
  state.accessTokens = [
    token('one', { websiteIds: [website().id], lastUsedAt: '2026-11-20T11:00:00Z' }),
    token('all', { expiresAt: '2026-11-22T12:00:00Z' }),
  ];
  server.use(http.delete('/api/platform/tokens/{id}', () => noContent()));
  const { user } = renderApp('/account-settings');
  const list = await screen.findByRole('list', { name: 'Access tokens' });
  const [one, all] = within(list).getAllByRole('listitem');
  expect(one).toHaveTextContent('althing_…x7Qa');
  expect(one).toHaveTextContent(/last used .+ ago/);
  expect(await within(list).findByText(new RegExp(`Reads ${website().domain}`))).toBeInTheDocument();
  expect(all).toHaveTextContent('Reads your whole account, never used');
  expect(all).toHaveTextContent('Expires soon');
  await user.click(within(list).getByRole('button', { name: 'Revoke Report all' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke' }));
  expect(await screen.findByText('Token revoked', { exact: true })).toBeInTheDocument();
  expect(state.seen.map((item) => item.line)).toContain('DELETE /api/platform/tokens/all');
});
