import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InviteCode } from '@/lib/api/types';
import { getSession } from '@/lib/session';
import { account, auditEntry } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { wholeNumberOr } from './invite-codes-panel';

const CODES = ['0-AAAA-AAAA-AAAA-AAAA', '1-BBBB-BBBB-BBBB-BBBB'];
const QR = 'data:image/svg+xml,%3Csvg/%3E';
const done = () => noContent();
const bodyOf = (line: string) => state.seen.filter((item) => item.line.startsWith(line)).at(-1)?.body;

const invite = (over: Partial<InviteCode> = {}): InviteCode => ({
  id: 'i1',
  code: 'AAAA-BBBB',
  maxUses: 2,
  currentUses: 1,
  createdAt: '2026-11-01T00:00:00Z',
  expiresAt: '2026-12-01T00:00:00Z',
  revokedAt: null,
  status: 'active',
  joined: [{ name: 'Nína', joinedAt: '2026-11-02T00:00:00Z' }],
  ...over,
});

beforeEach(() => {
  vi.setSystemTime('2026-11-20T12:00:00Z');
  signIn();
});

afterEach(() => vi.useRealTimers());

test('the profile says that the name is public, and a display name takes its place', async () => {
  server.use(http.patch('/api/platform/user', () => json(state.account)));
  const { user } = renderApp('/account-settings');
  const name = await screen.findByLabelText('Name');
  expect(name).toHaveAccessibleDescription(/^Public in forum and marketplace/);
  await user.type(screen.getByLabelText('Display name (optional)'), 'Countess');
  await user.click(screen.getByRole('button', { name: 'Save profile' }));
  expect(await screen.findByText('Profile saved', { exact: true })).toBeInTheDocument();
  expect(bodyOf('PATCH /api/platform/user')).toMatchObject({ displayName: 'Countess' });
});

test('the profile is saved and the header follows', async () => {
  server.use(
    http.patch('/api/platform/user', async ({ request }) => {
      state.account = { ...account(), ...((await request.json()) as object) };
      return json(state.account);
    }),
  );
  const { user } = renderApp('/account-settings');
  const name = await screen.findByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'S');
  await user.click(screen.getByRole('button', { name: 'Save profile' }));
  expect(await screen.findByText('Name must be at least 2 characters')).toBeInTheDocument();
  await user.type(name, 'óley');
  await user.selectOptions(screen.getByLabelText('Time zone'), 'Europe/Berlin');
  await user.click(screen.getByRole('button', { name: 'Save profile' }));
  expect(await screen.findByText('Profile saved', { exact: true })).toBeInTheDocument();
  expect(bodyOf('PATCH /api/platform/user')).toEqual({
    name: 'Sóley',
    displayName: '',
    company: 'Althing ehf.',
    timezone: 'Europe/Berlin',
  });
  await waitFor(() => expect(getSession()?.user.name).toBe('Sóley'));
});

test('a new address is checked here, proven with the password, and confirmed by mail', async () => {
  server.use(http.post('/api/platform/email/change', done));
  const { user } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Change email' }));
  await user.type(await screen.findByLabelText('New email'), 'nonsense');
  await user.type(screen.getByLabelText('Your password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('Please enter a valid email')).toBeInTheDocument();
  await user.type(screen.getByLabelText('New email'), '@example.com');
  await user.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText('Check your email', { exact: true })).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/email/change')).toEqual({ password: 'long-enough', email: 'nonsense@example.com' });
});

test('the password changes with the old one; a wrong one is said at its field', async () => {
  server.use(
    http.post('/api/platform/password/change', async ({ request }) => {
      const { currentPassword } = (await request.json()) as { currentPassword: string };
      return currentPassword === 'right-one'
        ? done()
        : refuse(403, 'The password is incorrect.', 'wrong_password', [
            { field: 'password', message: 'The password is incorrect.' },
          ]);
    }),
  );
  const { user } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Change password' }));
  await user.type(await screen.findByLabelText('New password'), 'long-enough');
  await user.type(screen.getByLabelText('Your password'), 'wrong-one');
  const dialog = screen.getByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Change password' }));
  await waitFor(() =>
    expect(screen.getByLabelText('Your password')).toHaveAccessibleDescription('The password is incorrect.'),
  );
  expect(screen.getByLabelText('New password')).toHaveAccessibleDescription('At least 8 characters.');
  await user.clear(screen.getByLabelText('Your password'));
  await user.type(screen.getByLabelText('Your password'), 'right-one');
  await user.click(within(dialog).getByRole('button', { name: 'Change password' }));
  expect(await screen.findByText('You were signed out everywhere else.', { exact: true })).toBeInTheDocument();
});

test('two-factor: an old session proves itself, then scan, code, recovery codes', async () => {
  server.use(
    http.post('/api/platform/2fa/setup', async ({ request }) => {
      const { password } = (await request.json()) as { password?: string };
      return password
        ? json({ secret: 'ABCD', qrCode: QR, otpauthUri: 'otpauth://x' })
        : refuse(403, 'Please enter your password.', 'password_needed');
    }),
    http.post('/api/platform/2fa/confirm', () => {
      state.account = account({ twoFactor: true, recoveryCodesLeft: 10 });
      return json({ recoveryCodes: CODES });
    }),
  );
  const { user } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Set up two-factor authentication' }));
  await user.type(await screen.findByLabelText('Your password'), 'long-enough');
  expect(document.querySelector('input[autocomplete=username]')).toHaveValue('sigrun@example.com');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByRole('img', { name: 'QR code for your authenticator app' })).toBeInTheDocument();
  await user.type(screen.getByLabelText('Two-factor code'), '12345{Enter}');
  expect(requests('POST /api/platform/2fa/confirm')).toEqual([]);
  await user.type(screen.getByLabelText('Two-factor code'), '6{Enter}');
  expect(await screen.findByText(CODES[1] as string)).toBeInTheDocument();
  await user.click(screen.getByRole('checkbox', { name: 'I have saved them' }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('10 of 10 recovery codes left.')).toBeInTheDocument();
  await waitFor(() => expect(document.getElementById('main')).toHaveFocus()); // the button that began it is gone
});

test('disabling two-factor and new recovery codes require password and code', async () => {
  state.account = account({ twoFactor: true, recoveryCodesLeft: 2 });
  server.use(
    http.post('/api/platform/2fa/recovery-codes', () => json({ recoveryCodes: CODES })),
    http.post('/api/platform/2fa/disable', () => {
      state.account = account();
      return done();
    }),
  );
  const { user } = renderApp('/account-settings');
  expect(await screen.findByText('Generate new codes.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'New recovery codes' }));
  await user.type(await screen.findByLabelText('Your password'), 'long-enough');
  expect(screen.getByRole('button', { name: 'Generate new codes' })).toBeDisabled();
  await user.type(screen.getByLabelText('Two-factor code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Generate new codes' }));
  expect(await screen.findByText(CODES[0] as string)).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/2fa/recovery-codes')).toEqual({ password: 'long-enough', code: '123456' });
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: 'Disable' }));
  await user.type(await screen.findByLabelText('Your password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Use a recovery code' }));
  await user.type(screen.getByLabelText('Recovery code'), CODES[0] as string);
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Disable' }));
  expect(await screen.findByText('Two-factor authentication disabled', { exact: true })).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/2fa/disable')).toEqual({ password: 'long-enough', recoveryCode: CODES[0] });
});

test('sessions are listed; one or all others end', async () => {
  server.use(http.delete('/api/platform/sessions/{id}', done), http.delete('/api/platform/sessions', done));
  const { user } = renderApp('/account-settings');
  const list = await screen.findByRole('list', { name: 'Sessions' });
  expect(within(list).getAllByRole('listitem')[0]).toHaveTextContent('FirefoxIceland, active nowThis session');
  expect(within(list).getAllByRole('listitem')[1]).toHaveTextContent(/^ChromeLast active /);
  await user.click(within(list).getByRole('button', { name: 'Sign out session: Chrome' }));
  expect(await screen.findByText('Signed out', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Sign out other sessions' }));
  expect(await screen.findByText('Other sessions signed out', { exact: true })).toBeInTheDocument();
  expect(requests('DELETE')).toEqual(['DELETE /api/platform/sessions/s2', 'DELETE /api/platform/sessions']);
});

test('sign-ins are linked after proof and unlinked after asking', async () => {
  server.use(
    http.delete('/api/platform/linked-sign-ins/{id}', () =>
      refuse(409, 'This is your only way to sign in. Set a password first.', 'last_sign_in'),
    ),
  );
  const { user } = renderApp('/account-settings');
  const list = await screen.findByRole('list', { name: 'Linked sign-ins' });
  expect(list).toHaveTextContent('GitHubsigrun, since Nov 1, 00:00');
  expect(await screen.findByRole('button', { name: 'Link Google' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Unlink GitHub' }));
  await user.click(await screen.findByRole('button', { name: 'Unlink' }));
  expect(
    await screen.findByText('This is your only way to sign in. Set a password first.', { exact: true }),
  ).toBeInTheDocument();
});

test('an account without a password sees what requires one, and can set one by email', async () => {
  state.account = account({ hasPassword: false });
  server.use(
    http.post('/api/platform/password/forgot', done),
    http.post('/api/platform/linked-sign-ins', () =>
      refuse(403, 'Please sign out, sign in again, and then link within ten minutes.', 'sign_in_again'),
    ),
  );
  const { user } = renderApp('/account-settings');
  expect(await screen.findByText(/^Your account has no password: you sign in with a provider/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Change password' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Erase my account' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).queryByLabelText('Your password')).not.toBeInTheDocument();
  expect(within(dialog).queryByRole('button', { name: 'Erase my account' })).not.toBeInTheDocument();
  await user.click(within(dialog).getByRole('button', { name: 'Set a password by email' }));
  expect(
    await screen.findByText('We sent a link to set a password to sigrun@example.com.', { exact: true }),
  ).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/password/forgot')).toEqual({ email: 'sigrun@example.com' });
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Link GitHub' }));
  await user.click(await screen.findByRole('button', { name: 'Continue to GitHub' }));
  expect(
    await screen.findByText('Please sign out, sign in again, and then link within ten minutes.'),
  ).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/linked-sign-ins')).toEqual({ provider: 'github', password: '' });
});

test('own activity goes on page by page, and stays when a page cannot be read; data is a link to everything', async () => {
  server.use(
    http.get('/api/platform/user/activity', ({ request }) =>
      new URL(request.url).searchParams.get('cursor')
        ? refuse(503, 'Not now')
        : json([auditEntry({ action: 'account.sign_in', outcome: 'refused' })], {
            headers: { Link: '</api/platform/user/activity?cursor=next>; rel="next"' },
          }),
    ),
  );
  const { user } = renderApp('/account-settings');
  const list = await screen.findByRole('list', { name: 'Your activity' });
  expect(list).toHaveTextContent('Sign-in Rejected');
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('Not now')).toBeInTheDocument();
  expect(list).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Export my data' })).toHaveAttribute('href', '/api/platform/export');
});

test('erasing wants the address typed, and the password', async () => {
  server.use(http.post('/api/platform/erase', done));
  const { user, router } = renderApp('/account-settings');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Erase my account' })).toBeEnabled());
  await user.click(screen.getByRole('button', { name: 'Erase my account' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByLabelText('Your password'), 'long-enough');
  expect(within(dialog).getByRole('button', { name: 'Erase my account' })).toBeDisabled();
  await user.type(within(dialog).getByLabelText('Type your email to confirm'), 'Sigrun@example.com');
  await user.click(within(dialog).getByRole('button', { name: 'Erase my account' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(getSession()).toBeNull();
});

test.each([
  ['', 1],
  ['0', 1],
  ['-3', 1],
  ['1.5', 1],
  ['x', 1],
  ['1', 1],
  ['7', 7],
])('spec §5: maxUses "%s" means %d', (text, meant) => {
  expect(wholeNumberOr(1, text)).toBe(meant);
  expect(wholeNumberOr(30, text)).toBe(meant === 7 || text === '1' ? meant : 30);
});

test('spec §2, account settings: the tabs General, Custom Domains and Invite Codes', async () => {
  renderApp('/account-settings');
  const tabs = within(await screen.findByRole('tablist', { name: 'Account Settings' }))
    .getAllByRole('tab')
    .map((tab) => tab.textContent);
  expect(tabs).toEqual(['General', 'Websites', 'Custom Domains', 'Invite Codes', 'Notifications']);
});

test('spec §8: a code is copied, and it says so', async () => {
  state.invites = [invite()];
  document.execCommand = vi.fn(() => true);
  const { user } = renderApp('/account-settings?tab=invite-codes');
  await user.click(await screen.findByRole('button', { name: 'Copy invite code AAAA-BBBB' }));
  expect(await screen.findByText('Copied!', { exact: true })).toBeInTheDocument();
});

test('spec §2, §5, §7, §8, §9: invite codes: none yet, made with defaults for what is no number, revoked after asking', async () => {
  server.use(
    http.post('/api/platform/invite-codes', () => {
      state.invites = [invite()];
      return json(invite(), { status: 201 });
    }),
    http.delete('/api/platform/invite-codes/{id}', done),
  );
  const { user } = renderApp('/account-settings?tab=invite-codes');
  expect(await screen.findByText('No invite codes generated yet')).toBeInTheDocument();
  expect(
    [screen.getByLabelText('Max uses'), screen.getByLabelText('Expires in days')].map((field) => [
      field.getAttribute('min'),
      (field as HTMLInputElement).value,
    ]),
  ).toEqual([
    ['1', '1'],
    ['1', '30'],
  ]);
  await user.clear(screen.getByLabelText('Max uses'));
  await user.clear(screen.getByLabelText('Expires in days'));
  await user.type(screen.getByLabelText('Expires in days'), '7');
  await user.click(screen.getByRole('button', { name: 'Generate invite code' }));
  expect(await screen.findByText('Invite code created', { exact: true })).toBeInTheDocument();
  expect(bodyOf('POST /api/platform/invite-codes')).toEqual({ maxUses: 1, expiresInDays: 7 });
  const table = await screen.findByRole('region', { name: 'Your invite codes' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent('AAAA-BBBBActive1 / 2Dec 1, 00:00 UTCNína');
  await user.click(screen.getByRole('button', { name: 'Revoke invite code AAAA-BBBB' }));
  await user.click(await screen.findByRole('button', { name: 'Revoke invite code' }));
  expect(await screen.findByText('Invite code revoked', { exact: true })).toBeInTheDocument();
});

test('spec §8: a refused invite code is a toast', async () => {
  server.use(
    http.post('/api/platform/invite-codes', () =>
      refuse(429, 'Too many attempts. Please wait a moment and try again.'),
    ),
  );
  const { user } = renderApp('/account-settings?tab=invite-codes');
  await user.click(await screen.findByRole('button', { name: 'Generate invite code' }));
  expect(await screen.findByText('Failed to create invite code', { exact: true })).toBeInTheDocument();
});
