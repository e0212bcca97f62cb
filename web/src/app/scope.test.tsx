// The website and the range that a person looks at: in the address, on the next page, and at the next visit.
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { endSession, startSession } from '@/lib/session';
import { USER, website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { state } from '@/test/server';
import { useUi } from '@/stores/ui';

beforeEach(() => {
  signIn();
  useUi.getState().setSideNav('full');
  state.websites = [
    website({ id: 'w1', domain: 'vpn-review.is' }),
    website({ id: 'w2', domain: 'hosting-compare.is' }),
  ];
});

const goTo = async (user: ReturnType<typeof renderApp>['user'], label: string) =>
  user.click(
    within(await screen.findByRole('navigation', { name: label === 'Analytics' ? 'Main' : 'Work' })).getByRole('link', {
      name: label,
    }),
  );

const switcher = async () => within(await screen.findByRole('dialog', { name: 'Websites' }));

test('a website chosen on the dashboard is that of every page, and of the next visit', async () => {
  const { user, router } = renderApp('/dashboard?website=w1');
  await user.selectOptions(await screen.findByLabelText('Website'), 'hosting-compare.is');
  await waitFor(() => expect(router.state.location.href).toBe('/dashboard?website=w2'));
  await goTo(user, 'Conversions');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?website=w2'));
  await goTo(user, 'Insights');
  await waitFor(() => expect(router.state.location.href).toBe('/insights?website=w2'));
  expect(screen.getByLabelText('Website')).toHaveDisplayValue('hosting-compare.is');
  cleanup();
  const again = renderApp('/analytics');
  await waitFor(() => expect(again.router.state.location.href).toBe('/analytics?website=w2'));
});

test('so is a range; the page’s default, chosen again, replaces it', async () => {
  const { user, router } = renderApp('/analytics');
  await user.selectOptions(await screen.findByLabelText('Time range'), '30d');
  await waitFor(() => expect(router.state.location.search).toMatchObject({ range: '30d' }));
  await goTo(user, 'Conversions');
  await waitFor(() => expect(router.state.location.pathname).toBe('/conversions'));
  expect(router.state.location.search).not.toHaveProperty('range');
  await goTo(user, 'Analytics');
  await waitFor(() => expect(router.state.location.search).toMatchObject({ range: '30d' }));
  await user.selectOptions(await screen.findByLabelText('Time range'), '7d');
  await waitFor(() => expect(router.state.location.search).not.toHaveProperty('range', '30d'));
  await goTo(user, 'Conversions');
  await waitFor(() => expect(router.state.location.pathname).toBe('/conversions'));
  await goTo(user, 'Analytics');
  await waitFor(() => expect(router.state.location.pathname).toBe('/analytics'));
  expect(router.state.location.search).not.toHaveProperty('range', '30d');
});

test('the days that a link brings are shown, and not remembered', async () => {
  const { user, router } = renderApp('/analytics?website=w1&range=custom&from=2026-11-01&to=2026-11-07');
  await screen.findByLabelText('Time range');
  await goTo(user, 'Insights');
  await waitFor(() => expect(router.state.location.pathname).toBe('/insights'));
  await goTo(user, 'Analytics');
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?website=w1'));
});

test('a website that is gone is forgotten: the first one is shown', async () => {
  localStorage.setItem('scope:u1', JSON.stringify({ website: 'deleted' }));
  renderApp('/insights');
  expect(await screen.findByLabelText('Website')).toHaveDisplayValue('vpn-review.is');
  await waitFor(() => expect(localStorage.getItem('scope:u1')).toBe('{}'));
});

test('another account of the same browser starts with its own choice', async () => {
  localStorage.setItem('scope:u1', JSON.stringify({ website: 'w2' }));
  act(endSession);
  act(() => startSession({ token: 'token-2', user: { ...USER, id: 'u2' } }));
  const { router } = renderApp('/insights');
  expect(await screen.findByLabelText('Website')).toHaveDisplayValue('vpn-review.is');
  expect(router.state.location.search).toEqual({});
});

test('the switcher of the side navigation changes the website of the page, and drops the filters of the one before', async () => {
  const { user, router } = renderApp('/conversions?website=w1&range=30d&status=pending');
  await user.click(await screen.findByRole('button', { name: 'Website: vpn-review.is. Switch' }));
  await user.click(await (await switcher()).findByRole('option', { name: 'hosting-compare.is' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?range=30d&website=w2'));
});

test('a page has one switcher: that of the specification, where it has one', async () => {
  renderApp('/analytics');
  expect(await screen.findByLabelText('Website')).toHaveDisplayValue('vpn-review.is');
  expect(screen.queryByRole('button', { name: /^Website: / })).not.toBeInTheDocument();
});

test('on a page without a website the switcher leads to the overview of the chosen one', async () => {
  const { user, router } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Website: vpn-review.is. Switch' }));
  await user.click(await (await switcher()).findByRole('option', { name: 'hosting-compare.is' }));
  await waitFor(() => expect(router.state.location.href).toBe('/dashboard?website=w2'));
});

test('many websites are searched', async () => {
  state.websites = Array.from({ length: 40 }, (_, index) => website({ id: `w${index}`, domain: `site-${index}.is` }));
  const { user } = renderApp('/account-settings');
  await user.click(await screen.findByRole('button', { name: 'Website: site-0.is. Switch' }));
  const list = await switcher();
  await user.type(await list.findByPlaceholderText('Search websites…'), 'site-37');
  await waitFor(() => expect(list.getAllByRole('option').map((item) => item.textContent)).toEqual(['site-37.is']));
});
