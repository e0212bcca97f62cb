import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { AdminDomain, AdminWebsite } from '@/lib/api/types';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const owned = { createdAt: '2026-11-01T00:00:00Z', ownerId: 'a1', ownerName: 'Nína', ownerEmail: 'nina@example.com' };
const website: AdminWebsite = {
  ...owned,
  id: 'w9',
  domain: 'shop.example',
  timezone: 'UTC',
  currency: 'USD',
  links: 12,
  customDomains: 1,
};
const domain: AdminDomain = {
  ...owned,
  id: 'd9',
  domain: 'go.shop.example',
  websiteId: 'w9',
  websiteDomain: 'shop.example',
  state: 'verified',
  sslEnabled: true,
};

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/admin/websites', ({ request }) => {
      const asked = new URL(request.url).searchParams;
      if (asked.get('search')) return json([]);
      return asked.get('cursor')
        ? json([{ ...website, id: 'w10', domain: 'older.example' }])
        : json([website], {
            headers: { Link: '</api/admin/websites?limit=50&cursor=next>; rel="next"' },
          });
    }),
    http.get('/api/admin/domains', () => json([domain])),
  );
});

test('websites of all members with their owners, page by page, sorted and searched', async () => {
  const { user, router } = renderApp('/admin/websites');
  const table = await screen.findByRole('region', { name: 'All websites' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(/shop\.example.*Nínanina@example\.com.*121/);
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('older.example')).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Sort by'), 'By name');
  await waitFor(() => expect(requests('GET /api/admin/websites').at(-1)).toContain('sort=name'));
  await user.type(screen.getByLabelText('Search by name or owner'), 'zz');
  expect(await screen.findByText('Nothing matches your search.')).toBeInTheDocument();
  expect(router.state.location.searchStr).toBe('?sort=name&search=zz');
});

test('a website of another is disconnected with a reason, and a refusal is shown', async () => {
  server.use(http.post('/api/admin/websites/{id}/disconnect', () => refuse(404, 'Website not found.', 'not_found')));
  const { user } = renderApp('/admin/websites');
  await user.click(await screen.findByRole('button', { name: 'Disconnect shop.example' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Disconnect shop.example?' }));
  expect(dialog.getByRole('button', { name: 'Disconnect' })).toBeDisabled();
  await user.type(dialog.getByLabelText('Reason'), 'Phishing page');
  await user.click(dialog.getByRole('button', { name: 'Disconnect' }));
  expect(await dialog.findByText('Website not found.')).toBeInTheDocument();
  server.use(http.post('/api/admin/websites/{id}/disconnect', () => noContent()));
  await user.click(dialog.getByRole('button', { name: 'Disconnect' }));
  expect(await screen.findByText('Website disconnected', { exact: true })).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('POST /api/admin/websites/w9'))?.body).toEqual({
    reason: 'Phishing page',
  });
});

test('domains of all members with state and owner; one is removed with a reason', async () => {
  server.use(http.post('/api/admin/domains/{id}/remove', () => noContent()));
  const { user } = renderApp('/admin/domains');
  const row = within(await screen.findByRole('region', { name: 'All domains' })).getAllByRole('row')[1] as HTMLElement;
  expect(row).toHaveTextContent('go.shop.exampleshop.exampleNínanina@example.comVerifiedOn');
  await user.click(within(row).getByRole('button', { name: 'Remove go.shop.example' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove go.shop.example?' }));
  await user.type(dialog.getByLabelText('Reason'), 'Not theirs');
  await user.click(dialog.getByRole('button', { name: 'Remove domain' }));
  expect(await screen.findByText('Domain removed', { exact: true })).toBeInTheDocument();
});
