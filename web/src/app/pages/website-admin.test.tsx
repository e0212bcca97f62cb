// What a website token opens, beyond the sign-in that `features/auth` tests.
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { startWebsiteSession } from '@/lib/session/website-session';
import { renderApp } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';

const session = (domain: string) => ({
  token: `wt_${domain}`,
  website: { id: `id-of-${domain}`, domain },
  user: { name: 'Sigrún', email: 'a@example.com' },
});
const domainOf = (request: Request) => (request.headers.get('Authorization') ?? '').replace('Bearer wt_', '');

beforeEach(() => {
  server.use(
    http.get('/api/website', ({ request }) =>
      json({
        id: domainOf(request),
        domain: domainOf(request),
        timezone: 'UTC',
        currency: 'USD',
        userName: 'Sigrún',
        userEmail: 'a@example.com',
      }),
    ),
    http.get('/api/website/analytics/overview', () => json(state.overview)),
    http.get('/api/website/analytics/clicks', () => json(state.clicks)),
    http.get('/api/website/analytics/partners', () => json([])),
    http.get('/api/website/analytics/geographic', () => json([])),
    http.get('/api/website/delivery', () => json(state.delivery)),
    http.get('/api/website/keys', ({ request }) =>
      json([
        {
          id: 'k1',
          kind: 'secret',
          name: '',
          isReadable: false,
          key: null,
          hint: `key of ${domainOf(request)}`,
          last4: '1234',
          allowedOrigins: [],
          createdAt: '2026-11-01T00:00:00Z',
          revokedAt: null,
          lastUsedAt: null,
        },
      ]),
    ),
  );
});

test('signing in to another website in another tab shows nothing of the one before', async () => {
  startWebsiteSession(session('first.example'));
  renderApp('/admin/website');
  expect(await screen.findByText('key of first.example')).toBeInTheDocument();
  localStorage.setItem('websiteSession', JSON.stringify(session('second.example')));
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'websiteSession' })));
  expect(screen.getByRole('heading', { level: 1, name: 'second.example' })).toBeInTheDocument();
  expect(screen.queryByText('key of first.example')).not.toBeInTheDocument();
  expect(await screen.findByText('key of second.example')).toBeInTheDocument();
});

test('a token that was revoked leads to the sign-in; the account of the same browser stays', async () => {
  startWebsiteSession(session('first.example'));
  server.use(http.get('/api/website', () => refuse(401, 'Please sign in.')));
  const { router } = renderApp('/admin/website');
  await waitFor(() => expect(router.state.location.href).toBe('/login?tab=website'));
  expect(localStorage.getItem('websiteSession')).toBeNull();
});
