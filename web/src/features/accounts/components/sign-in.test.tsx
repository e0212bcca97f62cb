import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getSession } from '@/lib/session';
import { USER } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, problem, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';

const accept = () => json<Ok<'/api/platform/setup', 'post'>>({ requires2FA: false, token: 'token-9', user: USER });

async function fill(user: ReturnType<typeof renderApp>['user'], email: string, password: string): Promise<void> {
  await user.type(await screen.findByLabelText('Email'), email);
  await user.type(screen.getByLabelText('Password'), password);
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
}

test('spec §2, §3, §7: sign-in stores the session and leads to the dashboard', async () => {
  server.use(http.post('/api/platform/login', accept));
  const { user, router } = renderApp('/login');
  expect(await screen.findByRole('tab', { name: 'Platform Access' })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'Sign In' })).toBeInTheDocument();
  await fill(user, ' a@example.com ', 'long-enough');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(getSession()).toEqual({ token: 'token-9', user: USER });
  expect(state.seen.find((item) => item.line.startsWith('POST'))?.body).toEqual({
    email: 'a@example.com',
    password: 'long-enough',
  });
});

test('sign-in goes on to where the way began', async () => {
  server.use(http.post('/api/platform/login', accept));
  const { user, router } = renderApp('/analytics?range=30d');
  await fill(user, 'a@example.com', 'long-enough');
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?range=30d'));
});

test('spec §5: each field says what it wants', async () => {
  const { user } = renderApp('/login');
  await fill(user, 'nonsense', 'short');
  expect(await screen.findByText('Please enter a valid email')).toBeInTheDocument();
  expect(screen.getByText('Password must be at least 8 characters')).toBeInTheDocument();
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Please enter a valid email');
  expect(requests('POST')).toEqual([]);
});

test('spec §8: a refusal is a toast with the server’s message, or with words of its own', async () => {
  server.use(http.post('/api/platform/login', () => refuse(401, 'Too many attempts, wait a minute')));
  const { user } = renderApp('/login');
  await fill(user, 'a@example.com', 'long-enough');
  expect(await screen.findByText('Login Failed', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Too many attempts, wait a minute', { exact: true })).toBeInTheDocument();
  server.use(http.post('/api/platform/login', () => refuse(401, '')));
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  expect(await screen.findByText('Invalid credentials', { exact: true })).toBeInTheDocument();
});

test('a sign-in that costs a proof of work says why it takes longer', async () => {
  const work = { challenge: 'c'.repeat(44), puzzles: 16, bits: 10 };
  server.use(
    http.post('/api/platform/login', ({ request }) =>
      request.headers.has('Proof-Of-Work')
        ? accept()
        : problem({ status: 429, code: 'proof_of_work_needed', message: 'Too many', work }),
    ),
  );
  const { user, router } = renderApp('/login');
  const notices: string[] = [];
  const observer = new MutationObserver(() =>
    notices.push(...screen.queryAllByRole('status').map((item) => item.textContent ?? '')),
  );
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  await fill(user, 'a@example.com', 'long-enough');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  observer.disconnect();
  expect(notices).toContain(
    'Many sign-in attempts for this account. Your browser is running a security check, which takes a few seconds.',
  );
});

test('spec §2: the password can be shown and hidden', async () => {
  const { user } = renderApp('/login');
  const field = await screen.findByLabelText('Password');
  expect(field).toHaveAttribute('type', 'password');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(field).toHaveAttribute('type', 'text');
  await user.click(screen.getByRole('button', { name: 'Hide password' }));
  expect(field).toHaveAttribute('type', 'password');
});

test('spec §4, §5, §8: the second factor re-sends the credentials with the code; a short code is ignored', async () => {
  server.use(
    http.post('/api/platform/login', async ({ request }) => {
      const input = (await request.json()) as { twoFactorCode?: string };
      return input.twoFactorCode ? accept() : json({ requires2FA: true, ticket: 'ticket-1' });
    }),
  );
  const { user, router } = renderApp('/login');
  await fill(user, 'a@example.com', 'long-enough');
  const code = await screen.findByLabelText('Two-factor code');
  expect(await screen.findByText('2FA Required', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Please enter your 2FA code to continue', { exact: true })).toBeInTheDocument();
  await user.type(code, '12345{Enter}');
  expect(requests('POST')).toHaveLength(1);
  await user.type(code, '6{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(state.seen.find((item) => (item.body as { twoFactorCode?: string } | null)?.twoFactorCode)?.body).toEqual({
    email: 'a@example.com',
    password: 'long-enough',
    twoFactorCode: '123456',
    ticket: 'ticket-1',
  });
});

test('a code is taken as apps show it, with a gap', async () => {
  server.use(http.post('/api/platform/login', () => json({ requires2FA: true, ticket: 'ticket-1' })));
  const { user } = renderApp('/login');
  await fill(user, 'a@example.com', 'long-enough');
  await user.click(await screen.findByLabelText('Two-factor code'));
  await user.paste(' 123 456\n');
  expect(screen.getByLabelText('Two-factor code')).toHaveValue('123456');
  await user.type(screen.getByLabelText('Two-factor code'), '7');
  expect(screen.getByLabelText('Two-factor code')).toHaveValue('123456');
});

test('spec §4: "Back to Login" returns to the credentials', async () => {
  server.use(http.post('/api/platform/login', () => json({ requires2FA: true, ticket: 'ticket-1' })));
  const { user } = renderApp('/login');
  await fill(user, 'a@example.com', 'long-enough');
  await user.click(await screen.findByRole('button', { name: 'Back to Login' }));
  expect(screen.getByLabelText('Email')).toBeInTheDocument();
});

test('who is signed in does not see the sign-in page', async () => {
  signIn();
  const { router } = renderApp('/login');
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
});

test('the set-up link creates the first admin and signs in', async () => {
  server.use(http.post('/api/platform/setup', accept));
  const { user, router } = renderApp('/setup?token=once');
  await user.type(await screen.findByLabelText('Name'), 'S');
  await user.type(screen.getByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Create admin' }));
  expect(await screen.findByText('Name must be at least 2 characters')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Name'), 'igrún');
  await user.click(screen.getByRole('button', { name: 'Create admin' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
  expect(state.seen.find((item) => item.line.includes('/setup'))?.body).toEqual({
    token: 'once',
    email: 'a@example.com',
    password: 'long-enough',
    name: 'Sigrún',
  });
});

test('a used set-up link is refused in words, one without a token is named', async () => {
  server.use(
    http.post('/api/platform/setup', () =>
      refuse(403, 'This setup link is not valid. `althing setup-link` prints a new one.'),
    ),
  );
  const { user } = renderApp('/setup?token=used');
  await user.type(await screen.findByLabelText('Name'), 'Sigrún');
  await user.type(screen.getByLabelText('Email'), 'a@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Create admin' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'This setup link is not valid. `althing setup-link` prints a new one.',
  );
});
