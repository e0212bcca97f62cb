import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { components } from '@/lib/api/schema';
import type { AdminAccount } from '@/lib/api/types';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';

type Schemas = components['schemas'];

const account = (over: Partial<AdminAccount> = {}): AdminAccount => ({
  id: 'a1',
  email: 'nina@example.com',
  name: 'Nína',
  roles: ['member'],
  createdAt: '2026-11-01T00:00:00Z',
  disabledAt: null,
  erasedAt: null,
  twoFactor: true,
  sessions: 2,
  lastSeenAt: '2026-11-20T12:00:00Z',
  websites: 1,
  ...over,
});
const changed = () => json<Schemas['AdminedAccount']>({ id: 'a1', roles: ['member'], disabled: false });

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/admin/accounts', ({ request }) => {
      const url = new URL(request.url);
      if (url.searchParams.get('search')) return json([]);
      return url.searchParams.get('cursor')
        ? json([account({ id: 'a2', name: '', email: '', erasedAt: '2026-11-02T00:00:00Z' })])
        : json([account()], {
            headers: { Link: '</api/admin/accounts?limit=50&cursor=next>; rel="next"' },
          });
    }),
  );
});

test('accounts page by page, with search', async () => {
  const { user } = renderApp('/admin/accounts');
  const table = await screen.findByRole('region', { name: 'All accounts' });
  const row = within(table).getAllByRole('row')[1] as HTMLElement;
  expect(row).toHaveTextContent('Nínanina@example.commemberActiveOn12');
  for (const time of ['Nov 20, 12:00 UTC', 'Nov 1, 00:00 UTC']) expect(within(row).getByTitle(time)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('Erased account')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Search by name or email'), 'zz');
  // Each letter is a search, which replaces the answer to the one before.
  await waitFor(() => expect(screen.getByText('No accounts match.')).toBeInTheDocument());
});

test('roles are replaced, sessions ended, accounts disabled with a reason', async () => {
  server.use(
    http.put('/api/admin/accounts/{id}/roles', changed),
    http.delete('/api/admin/accounts/{id}/sessions', changed),
    http.post('/api/admin/accounts/{id}/disable', () =>
      refuse(409, 'This is the last admin. Make another account an admin first.', 'last_admin'),
    ),
  );
  const { user } = renderApp('/admin/accounts');
  await user.click(await screen.findByRole('button', { name: 'Roles of Nína' }));
  expect(await screen.findByRole('checkbox', { name: 'member' })).toBeDisabled();
  await user.click(screen.getByRole('checkbox', { name: 'analyst' }));
  await user.click(screen.getByRole('button', { name: 'Save roles' }));
  expect(await screen.findByText('Roles changed', { exact: true })).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('PUT'))?.body).toEqual({ roles: ['member', 'analyst'] });
  await user.click(screen.getByRole('button', { name: 'Sign out everywhere: Nína' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Sign out everywhere' }));
  expect(await screen.findByText('Signed out everywhere', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Disable Nína' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByRole('button', { name: 'Disable' })).toBeDisabled();
  await user.type(within(dialog).getByLabelText('Reason'), 'fraud');
  await user.click(within(dialog).getByRole('button', { name: 'Disable' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('This is the last admin.');
});
