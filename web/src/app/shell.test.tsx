import { QueryClient } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { endSession, getSession, startSession } from '@/lib/session';
import { account, USER, website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { about, requests, server, state } from '@/test/server';
import { adminGroups, adminSections } from '@/lib/admin/sections';
import { useUi } from '@/stores/ui';
import { allCommands, useCommandStore } from '@/stores/commands';
import { deadEnds, footer, navigation } from './navigation';
import { createAppRouter, isOwnPath } from './router';

const ORDER = ['Home', 'AI Matching', 'Marketplace', 'Forum', 'About', 'Consulting', 'Dashboard', 'Analytics']; // specification §2, Layout
const FOOTER = {
  Product: ['Features', 'Pricing', 'API Documentation', 'Integrations'],
  Company: ['About', 'Consulting', 'Blog', 'Careers'],
  Support: ['Help Center', 'Contact', 'Privacy Policy', 'Terms of Service'],
};

test('spec §2, layout: nothing in the navigation or the footer leads nowhere, and both are as specified', () => {
  expect(deadEnds(createAppRouter(new QueryClient()))).toEqual([]);
  expect(navigation.map((entry) => entry.label)).toEqual(ORDER);
  expect(navigation.find((entry) => entry.label === 'AI Matching')?.to).toBe('/affiliate-matching');
  expect(Object.fromEntries(footer.map((column) => [column.title, column.links.map((link) => link.label)]))).toEqual(
    FOOTER,
  );
});

/** What the side navigation lists, on the page of this path. */
async function workEntries(path: string): Promise<(string | null)[]> {
  renderApp(path);
  const nav = await screen.findByRole('navigation', { name: 'Work' });
  return within(nav)
    .getAllByRole('link')
    .map((link) => link.getAttribute('aria-label') ?? link.textContent);
}

test('work pages of a signed-in person: the specified entries on top, all others by jobs in the side navigation', async () => {
  useUi.getState().setSideNav('full');
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  expect(await workEntries('/conversions')).toEqual([
    'Links',
    'Conversions',
    'Network reports',
    'Ad platforms',
    'Payouts',
    'Insights',
    'Builder',
    'Learn',
  ]);
  const top = within(screen.getByRole('navigation', { name: 'Main' }));
  expect(top.getAllByRole('link').map((link) => link.textContent)).toEqual(ORDER);
  const footerLinks = within(screen.getByRole('navigation', { name: 'Footer' })).getAllByRole('link');
  expect(footerLinks.map((link) => link.textContent)).toEqual(Object.values(FOOTER).flat());
  expect(screen.queryByRole('list', { name: 'Social' })).not.toBeInTheDocument();
});

test('an admin also sees SQL, and the sections of Admin once it is opened', async () => {
  useUi.getState().setSideNav('full');
  signIn();
  expect(await workEntries('/insights')).toEqual([
    ...['Links', 'Conversions', 'Payouts', 'Insights', 'Builder', 'SQL', 'Learn', 'Admin'],
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Sections of Admin' }));
  const groups = within(screen.getByRole('list', { name: 'Admin sections' })).getAllByRole('link');
  expect(groups.map((link) => link.textContent)).toEqual(['People', 'Money', 'Content', 'System']);
  expect(groups.map((link) => link.getAttribute('href'))).toEqual(adminGroups.map(({ sections }) => sections[0]?.to));
});

test('an admin page lists the pages of its group', async () => {
  useUi.getState().setSideNav('full');
  signIn();
  renderApp('/admin/outbox');
  const system = within((await screen.findAllByRole('list', { name: 'System' }))[0] as HTMLElement);
  expect(system.getAllByRole('link').map((link) => link.textContent)).toEqual(
    adminSections.filter(({ group }) => group === 'System').map(({ label }) => label),
  );
  expect(screen.queryAllByRole('list', { name: 'Money' })).toHaveLength(0);
});

test('pages below others: partners and channels below links, statements below payouts', async () => {
  useUi.getState().setSideNav('full');
  signIn();
  renderApp('/conversions?view=statements&month=2026-10');
  expect(await screen.findByRole('heading', { level: 1, name: 'Statements' })).toBeInTheDocument();
  expect(await screen.findByLabelText('Month')).toHaveValue('2026-10');
  expect(screen.getByRole('link', { name: 'Statements', current: 'page' })).toHaveAttribute(
    'href',
    '/payouts/statements',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Sections of Links' }));
  const below = within(screen.getByRole('list', { name: 'Links sections' })).getAllByRole('link');
  expect(below.map((link) => link.textContent)).toEqual(['My partners', 'Social channels']);
});

test.each([
  ['/links/l1', 'Links'],
  ['/links/partners', 'My partners'],
  ['/conversions/networks', 'Network reports'],
  ['/conversions/ad-platforms', 'Ad platforms'],
])('%s is a page of %s', async (path, entry) => {
  useUi.getState().setSideNav('full');
  signIn();
  renderApp(path);
  const work = within(await screen.findByRole('navigation', { name: 'Work' }));
  expect(work.getByRole('link', { current: 'page' })).toHaveTextContent(entry);
});

test.each(['/', '/about', '/pricing', '/help'])(
  'public page %s has no side navigation, for any reader',
  async (path) => {
    signIn();
    renderApp(path);
    expect(await screen.findByRole('list', { name: 'Social' })).toBeInTheDocument();
    expect(screen.queryByRole('navigation', { name: 'Work' })).not.toBeInTheDocument();
  },
);

test.each(['/learn', '/forum', '/marketplace', '/affiliate-matching'])(
  'a visitor sees %s as a public page',
  async (path) => {
    server.use(
      ...server.listHandlers(),
      http.any('*/api/*', () => refuse(503, 'Not now')),
    );
    renderApp(path);
    await screen.findByRole('heading', { level: 1 });
    expect(screen.queryByRole('navigation', { name: 'Work' })).not.toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Social' })).toBeInTheDocument();
  },
);

test('the side navigation is collapsed to icons that keep their names, and stays so', async () => {
  useUi.getState().setSideNav('full');
  signIn();
  const { user } = renderApp('/insights');
  await user.click(await screen.findByRole('button', { name: 'Collapse navigation' }));
  const nav = within(screen.getByRole('navigation', { name: 'Work' }));
  expect(nav.getByRole('link', { name: 'Conversions' })).toHaveTextContent('');
  expect(localStorage.getItem('sideNav')).toBe('rail');
  await user.click(screen.getByRole('button', { name: 'Expand navigation' }));
  expect(nav.getByRole('link', { name: 'Conversions' })).toHaveTextContent('Conversions');
});

test.each(
  adminSections.map(({ to, label, title }) => [
    to,
    to === '/admin' ? 'Affiliate Management Dashboard' : (title ?? label),
  ]),
)('%s is headed "%s", and the document is named', async (path, heading) => {
  signIn();
  server.use(
    ...server.listHandlers(),
    http.any('*/api/*', () => refuse(503, 'Not now')),
  );
  renderApp(path);
  const found = await screen.findAllByRole('heading', { level: 1 });
  expect(found.map((item) => item.textContent)).toEqual([heading]);
  await waitFor(() => expect(document.title).toMatch(/\w · Althing$/));
  expect(document.title).not.toMatch(/^Althing/);
});

test('spec §2, §9, footer: social links to the configured profiles alone, and the copyright of 2024', async () => {
  const profiles = { ...about.profiles, twitter: 'https://x.com/althing', youtube: 'https://www.youtube.com/@althing' };
  server.use(http.get('/api/platform/about', () => json({ ...about, profiles })));
  renderApp('/');
  const social = within(await screen.findByRole('list', { name: 'Social' }));
  expect(await social.findByRole('link', { name: 'Twitter' })).toBeInTheDocument();
  expect(social.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    'https://x.com/althing',
    'https://www.youtube.com/@althing',
    '/blog.xml',
  ]);
  expect(screen.getByText(/© 2024 Althing/)).toBeInTheDocument();
});

test('spec §2: the home page leads to sign-in', async () => {
  const { user, router } = renderApp('/');
  expect(
    await screen.findByRole('heading', { level: 1, name: /^Finding the perfect product for affiliate marketing$/ }),
  ).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Get Started' })).toHaveAttribute('href', '/login');
  await user.click(screen.getByRole('link', { name: 'Sign In to Platform' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('spec §2: an unknown address shows the 404 page with its words', async () => {
  renderApp('/no-such-page');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
  expect(screen.getByText('Did you forget to add the page to the router?')).toBeInTheDocument();
  await waitFor(() => expect(document.title).toBe('404 Page Not Found · Althing'));
});

test('a change of page moves the focus, sets the title and says so', async () => {
  const { user } = renderApp('/');
  await user.click(await screen.findByRole('link', { name: 'Get Started' }));
  await screen.findByRole('tab', { name: 'Platform Access' });
  await waitFor(() => expect(document.getElementById('main')).toHaveFocus());
  expect(document.title).toBe('Sign In · Althing');
  expect(screen.getByTestId('route-announcer')).toHaveTextContent('Sign In');
  expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveAttribute('href', '#main');
});

test('spec §4, §6: without a session the member pages lead to sign-in, remember the way and ask for nothing', async () => {
  const { router } = renderApp('/analytics?range=30d');
  await screen.findByRole('tab', { name: 'Platform Access' });
  expect(router.state.location.pathname).toBe('/login');
  expect(router.state.location.search).toEqual({ next: '/analytics?range=30d' });
  expect(requests('GET /api/platform').filter((line) => !/\/(auth\/providers|about|setup)$/.test(line))).toEqual([]);
});

test('a session that ends while working leads to sign-in', async () => {
  signIn();
  server.use(http.get('/api/platform/websites', () => refuse(401, 'Please sign in.')));
  const { router } = renderApp('/dashboard');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(await screen.findByText(/^Your session has expired/)).toBeInTheDocument();
});

test('without a session, or after signing out, no expired session is reported', async () => {
  renderApp('/dashboard');
  await screen.findByRole('tab', { name: 'Platform Access' });
  expect(screen.queryByText(/^Your session has expired/)).not.toBeInTheDocument();
});

test('"Get Started" leads to what a visitor can do: use an invite code, join early access, sign in', async () => {
  const { user, router } = renderApp('/pricing');
  await user.click(await screen.findByRole('link', { name: 'Get Started' }));
  await screen.findByRole('tab', { name: 'Platform Access' });
  const main = within(screen.getByRole('main'));
  expect(main.getByRole('link', { name: 'join early access' })).toHaveAttribute('href', '/#early-access');
  await user.click(main.getByRole('link', { name: 'Use an invite code' }));
  expect(await screen.findByLabelText('Invite code')).toBeInTheDocument();
  expect(router.state.location.search).toMatchObject({ tab: 'create-account' });
  expect(main.getByRole('link', { name: 'contact us' })).toHaveAttribute('href', '/contact');
});

test('the sign-in page of an empty installation says where the set-up link is, and nothing of it later', async () => {
  server.use(http.get('/api/platform/setup', () => json({ isOpen: true })));
  renderApp('/login');
  expect(await screen.findByText('Nobody has an account here yet.')).toBeInTheDocument();
  expect(screen.getByText('althing setup-link')).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Use an invite code' })).not.toBeInTheDocument();
});

test('who signs in next sees nothing of the one before', async () => {
  signIn();
  state.websites = [website({ id: 'a', domain: 'first-person.is' })];
  const { router } = renderApp('/dashboard');
  await screen.findByRole('option', { name: 'first-person.is' });
  act(endSession);
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  state.websites = [website({ id: 'b', domain: 'second-person.is' })];
  act(() => startSession({ token: 'token-2', user: { ...USER, id: 'u2', name: 'Jón' } }));
  await screen.findByRole('option', { name: 'second-person.is' });
  expect(screen.queryByRole('option', { name: 'first-person.is' })).not.toBeInTheDocument();
  state.websites = [website({ id: 'c', domain: 'third-person.is' })];
  localStorage.setItem('authToken', 'token-3');
  localStorage.setItem('user', JSON.stringify({ ...USER, id: 'u3', name: 'Guðrún' }));
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'user' })));
  await screen.findByRole('option', { name: 'third-person.is' });
  expect(screen.getByText('Welcome back, Guðrún')).toBeInTheDocument();
});

test('signing out in another tab leads to sign-in, and signing in again back to the same view', async () => {
  signIn();
  const { router } = renderApp('/analytics?range=30d&f=is,country,IS');
  await screen.findByTestId('kpi-Revenue');
  localStorage.clear();
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'authToken' })));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  act(signIn);
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?range=30d&f=is,country,IS'));
});

test('a page that comes back from the browser’s cache learns that the session has ended meanwhile', async () => {
  signIn();
  const { router } = renderApp('/dashboard');
  await screen.findByText('Welcome back, Sigrún');
  localStorage.clear(); // another tab, while this page was frozen: no event of the storage reaches it
  act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('roles and a name that changed elsewhere show with the next read', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ name: 'Sigrún Jónsdóttir', roles: ['member', 'analyst'] });
  renderApp('/dashboard');
  const menu = await screen.findByRole('navigation', { name: 'Work' });
  expect(await within(menu).findByRole('link', { name: 'SQL' })).toBeInTheDocument();
  expect(within(menu).queryByRole('link', { name: 'Admin' })).not.toBeInTheDocument();
  expect(screen.getByText('Welcome back, Sigrún Jónsdóttir')).toBeInTheDocument();
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({
    id: 'u1',
    email: 'sigrun@example.com',
    name: 'Sigrún Jónsdóttir',
    roles: ['member', 'analyst'],
  });
});

test('no two commands of an admin have the same keys', async () => {
  signIn();
  renderApp('/dashboard');
  await screen.findByText('Welcome back, Sigrún');
  const keys = allCommands(useCommandStore.getState()).flatMap((command) => command.keys ?? []);
  expect(keys).toContain('g s');
  expect(keys).toEqual([...new Set(keys)]);
});

test('spec §4: signing out ends the session here and at the server', async () => {
  signIn();
  const drafts = [`draft:${USER.id}:message-o1`, 'draft:u2:message-o1', 'theme'] as const;
  for (const key of drafts) localStorage.setItem(key, 'kept');
  server.use(http.post('/api/platform/logout', () => noContent()));
  const { user, router } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Account of Sigrún' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(getSession()).toBeNull();
  expect(
    drafts.map((key) => localStorage.getItem(key)),
    'nobody finds what was being written',
  ).toEqual([null, 'kept', 'kept']);
});

test('spec §2, layout: the menu of small screens lists the same pages and closes on a choice', async () => {
  const { user, router } = renderApp('/');
  await user.click(await screen.findByRole('button', { name: 'Open menu' }));
  const sheet = await screen.findByRole('dialog', { name: 'Menu' });
  expect(
    within(sheet)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(navigation.map((entry) => entry.label));
  await user.click(within(sheet).getByRole('link', { name: 'Analytics' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('the menu of small screens begins with the work pages, and closes on a choice', async () => {
  signIn();
  const { user, router } = renderApp('/insights');
  await user.click(await screen.findByRole('button', { name: 'Open menu' }));
  const sheet = within(await screen.findByRole('dialog', { name: 'Menu' }));
  expect(sheet.getAllByRole('navigation').map((nav) => nav.getAttribute('aria-label'))).toEqual(['Work', 'Main']);
  await user.click(sheet.getByRole('link', { name: 'Conversions' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/conversions'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('the theme of a signed-in person is in the account menu', async () => {
  signIn();
  const { user } = renderApp('/insights');
  await user.click(await screen.findByRole('button', { name: 'Account of Sigrún' }));
  await user.click(await screen.findByRole('menuitemradio', { name: 'Dark' }));
  expect(document.documentElement).toHaveClass('dark');
  expect(screen.queryByRole('button', { name: /^Theme/ })).not.toBeInTheDocument();
});

test('"?" lists the shortcuts, "g d" follows one, typing triggers none', async () => {
  const { user, router } = renderApp('/login');
  const email = await screen.findByLabelText('Email');
  await user.type(email, 'g?');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  email.blur();
  await user.keyboard('?');
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(within(sheet).getByText('Go to Analytics')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await user.keyboard('gh');
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
});

test('the palette runs the same commands', async () => {
  const { user, router } = renderApp('/');
  await screen.findByRole('link', { name: 'Sign In to Platform' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search and commands' }), 'analytics{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('the theme button goes through light, dark and system', async () => {
  const { user } = renderApp('/');
  await user.click(await screen.findByRole('button', { name: /^Theme: system/ }));
  await user.click(screen.getByRole('button', { name: /^Theme: light/ }));
  expect(document.documentElement).toHaveClass('dark');
  expect(localStorage.getItem('theme')).toBe('dark');
  await user.click(screen.getByRole('button', { name: /^Theme: dark/ }));
  expect(document.documentElement).not.toHaveClass('dark');
});

test.each([
  ['/analytics?a=1', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example', false],
  ['javascript:alert(1)', false],
  ['', false],
])('after sign-in %s is followed: %s', (path, own) => {
  expect(isOwnPath(path)).toBe(own);
});
