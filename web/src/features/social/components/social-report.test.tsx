import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { socialRow } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { requests, state } from '@/test/server';

const tube = { channelId: 's2', network: 'youtube', name: 'Tube' } as const;
const insta = socialRow();
const post = { kind: 'post', publishedAt: '2026-11-18T10:00:00Z', followers: null } as const;

beforeEach(() => {
  signIn();
  state.socialReport = [
    insta,
    socialRow({ ...post, postId: 'p1', name: 'First', revenueAmount: 100, clicks: 300 }),
    socialRow({ ...post, postId: 'p2', name: 'Second', revenueAmount: 8_000, clicks: 20 }),
    socialRow({ ...tube, views: null, clickRate: null, clicks: 60, conversions: 1, revenueAmount: 20_000 }),
  ];
});

const names = () =>
  within(screen.getByRole('region', { name: /^Social revenue of/ }))
    .getAllByRole('link')
    .map((item) => item.textContent)
    .filter((text) => text !== 'Posts');

test('totals count each channel once, and rates only what has a base', async () => {
  renderApp('/links/channels/report');
  const totals = await screen.findByLabelText('Totals');
  expect(totals).toHaveTextContent(
    /Reach.*10,000.*Clicks.*400.*3\.40% of views.*Sales.*8.*2\.00% of clicks.*\$287\.50/,
  );
  const rows = screen.getAllByRole('row');
  expect(rows[1]).toHaveTextContent(/Tube.*YouTube.*–.*60.*–.*1.*\$200\.00/);
  expect(screen.getByRole('link', { name: 'CSV' })).toHaveAttribute(
    'href',
    '/api/platform/social-report.csv?websiteId=w1&timeRange=30d',
  );
});

test('channels and the posts below them are sorted by any column; the address keeps it', async () => {
  const { user, router } = renderApp('/links/channels/report');
  await screen.findByLabelText('Totals');
  expect(names()).toEqual(['Tube', '@fjord.tests', 'Second', 'First']);
  await user.click(screen.getByRole('button', { name: 'Clicks' }));
  await waitFor(() => expect(names()).toEqual(['@fjord.tests', 'First', 'Second', 'Tube']));
  expect(screen.getByRole('columnheader', { name: 'Clicks' })).toHaveAttribute('aria-sort', 'descending');
  expect(router.state.location.search).toMatchObject({ sort: '-clicks' });
  await user.click(screen.getByRole('button', { name: 'Channel and post' }));
  await waitFor(() => expect(names()).toEqual(['@fjord.tests', 'First', 'Second', 'Tube']));
  await user.click(screen.getByRole('button', { name: 'Channel and post' }));
  await waitFor(() => expect(names()).toEqual(['Tube', '@fjord.tests', 'Second', 'First']));
});

test('another range is requested and its file linked; a channel leads to its posts', async () => {
  const { user } = renderApp('/links/channels/report');
  await screen.findByLabelText('Totals');
  await user.selectOptions(screen.getByLabelText('Range'), 'All time');
  await waitFor(() =>
    expect(requests('GET /api/platform/social-report')).toContain('GET /api/platform/social-report?websiteId=w1'),
  );
  expect(await screen.findByRole('link', { name: 'CSV' })).toHaveAttribute(
    'href',
    '/api/platform/social-report.csv?websiteId=w1',
  );
  expect(screen.getByRole('link', { name: 'Posts of Tube' })).toHaveAttribute(
    'href',
    '/links/channels/posts?website=w1&channel=s2',
  );
});

test('without channels the report says what to do', async () => {
  state.socialReport = [];
  renderApp('/links/channels/report');
  expect(await screen.findByText('No social channels yet')).toBeInTheDocument();
});
