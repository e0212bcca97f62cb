// Return from a provider: the one-time code, the second factor, the invite, and links made by another person.
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getSession } from '@/lib/session';
import { USER } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';

type Exchanged = Ok<'/api/platform/auth/exchange', 'post'>;
const SESSION = { requires2FA: false as const, token: 'token-9', user: USER };
const PERSON: Exchanged = {
  inviteNeeded: true,
  provider: 'google',
  ticket: 'ticket-1',
  email: 'ada@mail.example',
  name: 'Ada Byron',
};
const exchanges = (answer: Exchanged) => server.use(http.post('/api/platform/auth/exchange', () => json(answer)));
const bodyOf = (line: string) => state.seen.find((item) => item.line.startsWith(line))?.body;

test('spec §4: the code leaves the address, is exchanged once, and leads to where the way began', async () => {
  exchanges(SESSION);
  const { router } = renderApp('/login/finish?next=%2Fanalytics%3Frange%3D30d#code=one-time');
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?range=30d'));
  expect(getSession()?.token).toBe('token-9');
  expect(requests('POST /api/platform/auth/exchange')).toHaveLength(1);
  expect(bodyOf('POST /api/platform/auth/exchange')).toEqual({ code: 'one-time' });
});

test('the code of another browser opens no session', async () => {
  server.use(
    http.post('/api/platform/auth/exchange', () =>
      refuse(400, 'This sign-in has ended. Please sign in again.', 'handoff_ended'),
    ),
  );
  const { router } = renderApp('/login/finish#code=another');
  expect(await screen.findByRole('alert')).toHaveTextContent('This sign-in has ended. Please sign in again.');
  expect(screen.getByRole('link', { name: 'Back to Login' })).toBeInTheDocument();
  expect(router.state.location.hash).toBe('');
  expect(getSession()).toBeNull();
});

test.each([
  '/login/finish',
  '/login/finish?token=stolen',
  '/login/finish?code=in-the-query',
  '/login?token=stolen',
  '/?token=stolen',
  '/dashboard?token=stolen',
])('spec §4: %s signs nobody in and asks nothing', async (path) => {
  renderApp(path);
  await screen.findByRole('heading', { level: 1 });
  expect(requests('POST')).toEqual([]);
  expect(getSession()).toBeNull();
});

test.each(['%2F%2Fevil.example', 'https%3A%2F%2Fevil.example', '%2F%5Cevil.example'])(
  'the way leads to nowhere outside of the app: %s',
  async (next) => {
    exchanges(SESSION);
    const { router } = renderApp(`/login/finish?next=${next}#code=one-time`);
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  },
);

test('the sign-in page, too, leads to nowhere outside', async () => {
  signIn();
  const { router } = renderApp('/login?next=%2F%2Fevil.example');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
});

test('the second factor is required; after too many wrong codes the sign-in starts again', async () => {
  exchanges({ requires2FA: true, ticket: 'ticket-1' });
  server.use(
    http.post('/api/platform/login/second-factor', async ({ request }) => {
      const { twoFactorCode } = (await request.json()) as { twoFactorCode?: string };
      if (twoFactorCode === '123456') return json(SESSION);
      return twoFactorCode === '999999'
        ? refuse(401, 'This sign-in has ended. Please sign in again.', 'ticket_ended')
        : refuse(401, 'That code is incorrect.', 'wrong_code');
    }),
  );
  const { user, router } = renderApp('/login/finish#code=one-time');
  const field = await screen.findByLabelText('Two-factor code');
  expect(await screen.findByText('2FA Required', { exact: true })).toBeInTheDocument();
  await user.type(field, '000000{Enter}');
  expect(await screen.findByText('That code is incorrect.', { exact: true })).toBeInTheDocument();
  await user.clear(field);
  await user.type(field, '123456{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(bodyOf('POST /api/platform/login/second-factor')).toMatchObject({ ticket: 'ticket-1' });
});

test('who is new gives an invite code; name and address are filled in', async () => {
  exchanges(PERSON);
  server.use(
    http.post('/api/platform/auth/register', async ({ request }) => {
      const { inviteCode } = (await request.json()) as { inviteCode: string };
      const message = 'This invite code is not valid.';
      return inviteCode === 'GOOD'
        ? json({ ...SESSION, qrCode: '', secret: '', otpauthUri: '' }, { status: 201 })
        : refuse(400, message, 'invite_invalid', [{ field: 'inviteCode', message }]);
    }),
  );
  const { user, router } = renderApp('/login/finish#code=one-time');
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@mail.example');
  expect(screen.getByLabelText('Name')).toHaveValue('Ada Byron');
  await user.click(screen.getByRole('button', { name: 'Create Account' }));
  expect(await screen.findByText('Invite code is required')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Invite code'), 'BAD{Enter}');
  expect(await screen.findByText('Registration Failed', { exact: true })).toBeInTheDocument();
  expect(screen.getByLabelText('Invite code')).toHaveAccessibleDescription(/^This invite code is not valid\./);
  await user.clear(screen.getByLabelText('Invite code'));
  await user.type(screen.getByLabelText('Invite code'), 'GOOD{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(bodyOf('POST /api/platform/auth/register')).toMatchObject({
    ticket: 'ticket-1',
    email: 'ada@mail.example',
    name: 'Ada Byron',
  });
});

test('a linked sign-in leads back to the account settings', async () => {
  signIn();
  exchanges({ linked: true, provider: 'github' });
  const { router } = renderApp('/login/finish#code=one-time');
  await waitFor(() => expect(router.state.location.pathname).toBe('/account-settings'));
  expect(await screen.findByText('You can now sign in with GitHub.', { exact: true })).toBeInTheDocument();
  expect(getSession()?.token).toBe('token-1');
});

test('linking that did not succeed says so and leads back', async () => {
  signIn();
  renderApp('/login/finish?problem=cancelled&provider=github');
  expect(await screen.findByRole('alert')).toHaveTextContent('Sign-in with GitHub was canceled.');
  expect(screen.getByRole('link', { name: 'Back to account settings' })).toBeInTheDocument();
});
