import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { getSession, startSession } from '@/lib/session';
import { activity, adminPartner, USER } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { at, server, state } from '@/test/server';

test('a member finds no admin dashboard, and no way to it', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  renderApp('/admin');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Admin' })).not.toBeInTheDocument();
});

test('without a session the admin dashboard leads to sign-in', async () => {
  const { router } = renderApp('/admin');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('the overview shows the totals and what happened lately, with links to it', async () => {
  signIn();
  state.adminPartners = [adminPartner(), adminPartner({ id: 'p2', name: 'Off', isActive: false })];
  state.activity = [activity(), activity({ id: 'a2', type: 'link.deleted', description: 'A link was deleted', subjectId: 'l9' })];
  renderApp('/admin');
  expect(await screen.findByRole('heading', { level: 1, name: 'Affiliate Management Dashboard' })).toBeInTheDocument();
  expect(screen.getByText('Welcome back, Sigrún')).toBeInTheDocument();
  const stat = (label: string) => screen.getByTestId(`stat-${label}`);
  await waitFor(() => expect(stat('Total Clicks')).toHaveTextContent('12,345All time'));
  expect(stat('Conversions')).toHaveTextContent('480.39% conversion rate');
  expect(stat('Revenue')).toHaveTextContent('$984.20Estimated earnings');
  await waitFor(() => expect(stat('Active Partners')).toHaveTextContent('1'));
  const list = within(await screen.findByRole('list', { name: 'Recent activity' }));
  expect(list.getByRole('link', { name: 'Partner NordVPN was added' })).toHaveAttribute('href', '/admin?tab=partners&partner=p1');
  expect(list.queryByRole('link', { name: 'A link was deleted' })).not.toBeInTheDocument();
});

test('nothing happened yet', async () => {
  signIn();
  state.activity = [];
  renderApp('/admin');
  expect(await screen.findByText('No recent activity')).toBeInTheDocument();
});

test('Logout ends the session and leads to sign-in', async () => {
  signIn();
  server.use(http.post(at('/api/platform/logout'), () => new HttpResponse(null, { status: 204 })));
  const { user, router } = renderApp('/admin');
  await user.click(await screen.findByRole('button', { name: 'Logout' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(getSession()).toBeNull();
});
