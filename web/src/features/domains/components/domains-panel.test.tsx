import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { CustomDomain } from '@/lib/api/types';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const domain = (over: Partial<CustomDomain> = {}): CustomDomain => ({
  id: 'd1',
  domain: 'go.example.com',
  websiteId: 'w1',
  isVerified: false,
  sslEnabled: false,
  verificationToken: 'token-of-domain',
  verificationName: '_affiliate-challenge.go.example.com',
  state: 'pending',
  addedAt: '2026-11-20T00:00:00Z',
  verifiedAt: null,
  lastCheckedAt: '2026-11-20T01:00:00Z',
  expiresAt: '2026-11-27T00:00:00Z',
  problem: null,
  ...over,
});

beforeEach(() => signIn());

test('spec §2, §5, §7, §8: none yet; a new one shows the record to set', async () => {
  server.use(
    http.post('/api/platform/custom-domains', () => {
      state.domains = [domain()];
      return json(domain(), { status: 201 });
    }),
  );
  const { user } = renderApp('/account-settings?tab=custom-domains');
  expect(await screen.findByText('No custom domains added yet')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add domain' })).toBeDisabled();
  await user.type(screen.getByLabelText('Domain'), ' go.example.com ');
  await user.click(screen.getByRole('button', { name: 'Add domain' }));
  expect(await screen.findByText('Domain added', { exact: true })).toBeInTheDocument();
  expect(
    screen.getByText('Your custom domain has been added. Please verify DNS settings.', { exact: true }),
  ).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('POST'))?.body).toEqual({
    domain: 'go.example.com',
    websiteId: 'w1',
  });
  const card = await screen.findByRole('region', { name: 'go.example.com' });
  expect(card).toHaveTextContent('Pending verificationLast checked Nov 20, 01:00 UTC, checked until Nov 27, 00:00 UTC');
  expect(within(card).getByText('_affiliate-challenge.go.example.com')).toBeInTheDocument();
  expect(within(card).getByText('token-of-domain')).toBeInTheDocument();
});

test('spec §8: a domain that cannot be added: the toast, and why at the field', async () => {
  server.use(
    http.post('/api/platform/custom-domains', () =>
      refuse(409, 'go.example.com is in use by another website.', 'taken', [
        { field: 'domain', message: 'go.example.com is in use by another website.' },
      ]),
    ),
  );
  const { user } = renderApp('/account-settings?tab=custom-domains');
  await user.type(await screen.findByLabelText('Domain'), 'go.example.com');
  await user.click(screen.getByRole('button', { name: 'Add domain' }));
  expect(await screen.findByText('Failed to add domain', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Error', { exact: true })).toBeInTheDocument();
  expect(screen.getByLabelText('Domain')).toHaveAccessibleDescription('go.example.com is in use by another website.');
});

test('spec §2, §4, §8: checking now verifies it; SSL has a badge; removing asks first, and may fail', async () => {
  state.domains = [domain({ problem: 'There is no TXT record at _althing.go.example.com yet.' })];
  server.use(
    http.post('/api/platform/custom-domains/{id}/check', () => {
      const verified = domain({ state: 'verified', isVerified: true, sslEnabled: true, expiresAt: null });
      state.domains = [verified];
      return json(verified);
    }),
    http.delete('/api/platform/custom-domains/{id}', () => {
      state.domains = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/account-settings?tab=custom-domains');
  expect(await screen.findByText('There is no TXT record at _althing.go.example.com yet.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Check now: go.example.com' }));
  expect(await screen.findByText('Domain verified', { exact: true })).toBeInTheDocument();
  expect(await screen.findByText('SSL')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Remove go.example.com' }));
  expect(requests('DELETE')).toEqual([]);
  server.use(http.delete('/api/platform/custom-domains/{id}', () => refuse(503, 'Not now'), { once: true }));
  await user.click(await screen.findByRole('button', { name: 'Remove domain' }));
  expect(await screen.findByText('Failed to remove domain', { exact: true })).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Remove go.example.com' }));
  await user.click(await screen.findByRole('button', { name: 'Remove domain' }));
  expect(await screen.findByText('Domain removed', { exact: true })).toBeInTheDocument();
  expect(await screen.findByText('No custom domains added yet')).toBeInTheDocument();
});

test('spec §2, §5: without a website there is nothing to add a domain to', async () => {
  state.websites = [];
  const { user, router } = renderApp('/account-settings?tab=custom-domains');
  expect(await screen.findByText('You need to connect a website before adding a domain.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Connect Website' }));
  expect(router.state.location.searchStr).toBe('?tab=websites');
});
