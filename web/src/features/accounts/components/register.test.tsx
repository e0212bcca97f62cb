// Registration, recovery, mailed links and the sign-in to one website.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getSession } from '@/lib/session';
import { getWebsiteSession } from '@/lib/session/website-session';
import { USER } from '@/test/fixtures';
import { renderApp } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const CODES = ['0-AAAA-AAAA-AAAA-AAAA', '1-BBBB-BBBB-BBBB-BBBB'];
const QR = 'data:image/svg+xml,%3Csvg/%3E';
const bodyOf = (line: string) => state.seen.find((item) => item.line.startsWith(line))?.body;

async function fillRegistration(user: ReturnType<typeof renderApp>['user']): Promise<void> {
  await user.type(await screen.findByLabelText('Email'), 'new@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.type(screen.getByLabelText('Name'), 'Nína');
}

test('spec §2, §4, §5, §8: an invite link opens the registration; then the second factor; then the recovery codes; then the dashboard', async () => {
  server.use(
    http.post('/api/platform/register', () =>
      json(
        { requires2FA: false, token: 'token-9', user: USER, qrCode: QR, secret: 'ABCD', otpauthUri: 'otpauth://x' },
        { status: 201 },
      ),
    ),
    http.post('/api/platform/2fa/confirm', async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      return code === '123456' ? json({ recoveryCodes: CODES }) : refuse(403, 'That code is incorrect.', 'wrong_code');
    }),
  );
  const { user, router } = renderApp('/login?invite=INV-1');
  expect(await screen.findByLabelText('Invite code')).toHaveValue('INV-1');
  expect(screen.getByLabelText('Name')).toHaveAccessibleDescription(/^Public/);
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(await screen.findByText('Account Created', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Please set up 2FA to secure your account', { exact: true })).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/register')).toEqual({
    email: 'new@example.com',
    password: 'long-enough',
    name: 'Nína',
    company: '',
    inviteCode: 'INV-1',
  });
  expect(screen.getByRole('img', { name: 'QR code for your authenticator app' })).toHaveAttribute('src', QR);
  expect(screen.queryByRole('tab'), 'the step is finished or put off, not left by a tab').not.toBeInTheDocument();
  expect(within(screen.getByRole('group', { name: 'Secret' })).getByText('ABCD')).toBeInTheDocument();
  expect(getSession()).toBeNull();
  await user.type(screen.getByLabelText('Two-factor code'), '000000{Enter}');
  expect(await screen.findByText('That code is incorrect.')).toBeInTheDocument();
  await user.clear(screen.getByLabelText('Two-factor code'));
  await user.type(screen.getByLabelText('Two-factor code'), '123456{Enter}');
  const list = await screen.findByRole('list', { name: 'Recovery codes' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(CODES);
  expect(state.seen.find((item) => item.line.includes('2fa/confirm'))?.headers.get('Authorization')).toBe(
    'Bearer token-9',
  );
  expect(screen.getByRole('button', { name: 'Continue' })).toBeDisabled();
  await user.click(screen.getByRole('checkbox', { name: 'I have saved them' }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(getSession()?.token).toBe('token-9');
});

test('spec §4: without a QR code the registration signs in at once', async () => {
  server.use(
    http.post('/api/platform/register', () =>
      json(
        { requires2FA: false, token: 'token-9', user: USER, qrCode: '', secret: '', otpauthUri: '' },
        { status: 201 },
      ),
    ),
  );
  const { user, router } = renderApp('/login?invite=INV-1');
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
});

test('spec §5, §6, §8: a registration that is refused says so at its field; a missing invite code never leaves the browser', async () => {
  server.use(
    http.post('/api/platform/register', () =>
      refuse(400, 'This invite code is not valid.', 'invite_invalid', [
        { field: 'inviteCode', message: 'This invite code is not valid.' },
      ]),
    ),
  );
  const { user } = renderApp('/login');
  await user.click(await screen.findByRole('tab', { name: 'Create Account' }));
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(await screen.findByText('Invite code is required')).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.type(screen.getByLabelText('Invite code'), 'USED');
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(await screen.findByText('Registration Failed', { exact: true })).toBeInTheDocument();
  expect(screen.getByLabelText('Invite code')).toHaveAccessibleDescription(/is not valid/);
  server.use(http.post('/api/platform/register', () => refuse(400, '')));
  await user.type(screen.getByLabelText('Invite code'), '2');
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(await screen.findByText('Failed to create account', { exact: true })).toBeInTheDocument();
});

test('a recovery code has an input of its own', async () => {
  server.use(
    http.post('/api/platform/login', async ({ request }) => {
      const input = (await request.json()) as { recoveryCode?: string };
      return input.recoveryCode
        ? json({ requires2FA: false, token: 'token-9', user: USER })
        : json({ requires2FA: true, ticket: 'ticket-1' });
    }),
  );
  const { user, router } = renderApp('/login');
  await user.type(await screen.findByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await user.click(await screen.findByRole('button', { name: 'Use a recovery code' }));
  await user.type(screen.getByLabelText('Recovery code'), `${CODES[0]}{Enter}`);
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(state.seen.filter((item) => item.line.endsWith('/login'))[1]?.body).toEqual({
    email: 'a@example.com',
    password: 'long-enough',
    recoveryCode: CODES[0],
    ticket: 'ticket-1',
  });
});

test('a sign-in that has ended goes back to the credentials', async () => {
  server.use(
    http.post('/api/platform/login', async ({ request }) => {
      const input = (await request.json()) as { twoFactorCode?: string };
      return input.twoFactorCode
        ? refuse(401, 'This sign-in has ended. Please sign in again.', 'ticket_ended')
        : json({ requires2FA: true, ticket: 'ticket-1' });
    }),
  );
  const { user } = renderApp('/login');
  await user.type(await screen.findByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await user.type(await screen.findByLabelText('Two-factor code'), '123456{Enter}');
  expect(await screen.findByText('This sign-in has ended. Please sign in again.', { exact: true })).toBeInTheDocument();
  expect(screen.getByLabelText('Email')).toBeInTheDocument();
});

test('spec §2, §7: four providers to sign in with; those that are not set up say so', async () => {
  renderApp('/login');
  expect(await screen.findByRole('link', { name: 'GitHub' })).toHaveAttribute('href', '/api/platform/auth/github');
  for (const name of ['Google', 'Microsoft', 'LinkedIn']) {
    expect(screen.getByRole('button', { name })).toBeDisabled();
    expect(screen.getByRole('button', { name })).toHaveAccessibleDescription(
      'Sign-in with Google, Microsoft, and LinkedIn is not set up on this installation.',
    );
  }
});

test('a forgotten password is answered alike for everybody', async () => {
  server.use(http.post('/api/platform/password/forgot', () => noContent()));
  const { user } = renderApp('/login');
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }));
  await screen.findByRole('heading', { name: 'Forgot your password?' });
  await user.type(await screen.findByLabelText('Email'), 'a@example.com');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText(/If a@example.com has an account/)).toBeInTheDocument();
});

test('the mailed link sets a new password, with a code where there is a second factor', async () => {
  server.use(
    http.post('/api/platform/password/reset', async ({ request }) => {
      const input = (await request.json()) as { twoFactorCode?: string };
      if (!input.twoFactorCode)
        return refuse(403, 'Please enter your 2FA code to continue', 'code_needed', [{ field: 'code', message: 'x' }]);
      return input.twoFactorCode === '123456' ? noContent() : refuse(403, 'That code is incorrect.', 'wrong_code');
    }),
  );
  const { user, router } = renderApp('/reset-password#code=secret-1');
  await user.type(await screen.findByLabelText('New password'), 'long-enough-2');
  expect(router.state.location.hash).toBe('');
  await user.click(screen.getByRole('button', { name: 'Set new password' }));
  await user.type(await screen.findByLabelText('Two-factor code'), '000000{Enter}');
  expect(await screen.findByText('That code is incorrect.')).toBeInTheDocument();
  await user.clear(screen.getByLabelText('Two-factor code'));
  await user.type(screen.getByLabelText('Two-factor code'), '123456{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(state.seen.filter((item) => item.line.includes('reset')).at(-1)?.body).toEqual({
    code: 'secret-1',
    password: 'long-enough-2',
    twoFactorCode: '123456',
  });
  expect(await screen.findByText('Password changed', { exact: true })).toBeInTheDocument();
});

test('a link without a code and a used link show an error', async () => {
  server.use(
    http.post('/api/platform/email/confirm', () =>
      refuse(400, 'This link is no longer valid. Please request a new one.', 'bad_link'),
    ),
  );
  const { user, router } = renderApp('/confirm-email#code=used');
  await user.click(await screen.findByRole('button', { name: 'Confirm address' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('This link is no longer valid.');
  await router.navigate({ to: '/reset-password' });
  expect(await screen.findByText(/This link is incomplete/)).toBeInTheDocument();
});

test('spec §2, §5, §6, §7: the website-level login asks for the key, then a code, and leads to the website alone', async () => {
  server.use(
    http.post('/api/auth/login', async ({ request }) => {
      const input = (await request.json()) as { twoFactorCode?: string };
      return input.twoFactorCode
        ? json({
            requires2FA: false,
            token: 'wt_1',
            user: { id: 'u1', name: 'Sigrún', email: 'a@example.com' },
            website: { id: 'w1', domain: 'shop.example' },
          })
        : json({ requires2FA: true });
    }),
    http.get('/api/website', () =>
      json({
        id: 'w1',
        domain: 'shop.example',
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
    http.get('/api/website/keys', () =>
      json([
        {
          id: 'k1',
          kind: 'secret',
          name: '',
          isReadable: false,
          lastUsedAt: null,
          key: null,
          hint: '…1234',
          last4: '1234',
          allowedOrigins: [],
          createdAt: '2026-11-01T00:00:00Z',
          revokedAt: null,
        },
      ]),
    ),
    http.post('/api/auth/logout', () => noContent()),
  );
  const { user, router } = renderApp('/login?tab=website');
  await user.type(await screen.findByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  expect(await screen.findByText('Website API key is required')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Website API key'), 'sk_1');
  await user.type(screen.getByLabelText('Two-factor code (optional)'), '1234567');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  expect(await screen.findByText('A code has exactly 6 characters')).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.clear(screen.getByLabelText('Two-factor code (optional)'));
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await user.type(await screen.findByLabelText('Two-factor code'), '123456{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin/website'));
  expect(await screen.findByRole('heading', { name: 'shop.example' })).toBeInTheDocument();
  expect(getWebsiteSession()?.token).toBe('wt_1');
  expect(getSession()).toBeNull();
  expect(await screen.findByText('…1234')).toBeInTheDocument();
  expect(await screen.findByTestId('kpi-Total Clicks')).toHaveTextContent('1,200');
  expect(
    state.seen
      .find((item) => item.line.startsWith('GET /api/website/analytics/overview'))
      ?.headers.get('Authorization'),
  ).toBe('Bearer wt_1');
  await user.click(screen.getByRole('button', { name: 'Logout' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(getWebsiteSession()).toBeNull();
});

test('the website-level login takes a code as apps show it, with a gap', async () => {
  server.use(http.post('/api/auth/login', () => refuse(401, 'Invalid credentials')));
  const { user } = renderApp('/login?tab=website');
  await user.type(await screen.findByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.type(screen.getByLabelText('Website API key'), 'sk_1');
  await user.click(screen.getByLabelText('Two-factor code (optional)'));
  await user.paste('123 456');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  expect(await screen.findByText('Login Failed', { exact: true })).toBeInTheDocument();
  expect(bodyOf('POST /api/auth/login')).toEqual({
    email: 'a@example.com',
    password: 'long-enough',
    websiteApiKey: 'sk_1',
    twoFactorCode: '123456',
  });
});
