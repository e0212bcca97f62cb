import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { renderPart, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { requests, server } from '@/test/server';
import type { Site } from '../lib/types';
import { SubscribersPanel } from './subscribers-panel';

const SITE = { id: 's1', slug: 'tents' } as unknown as Site;
const PATH = '/api/platform/sites/{id}/subscribers';
const subscriber = (id: string, state: 'pending' | 'confirmed') => ({
  id,
  email: `${id}@example.com`,
  state,
  page: '/reviews/',
  block: 'news',
  requestedAt: '2026-11-20T12:00:00Z',
  confirmedAt: state === 'confirmed' ? '2026-11-20T13:00:00Z' : null,
});

beforeEach(() => signIn());

test('the owner sees who subscribed, filters, and exports the confirmed ones', async () => {
  server.use(
    http.get(PATH, ({ request }) => {
      const state = new URL(request.url).searchParams.get('state');
      const all = [subscriber('ada', 'confirmed'), subscriber('eve', 'pending')];
      return json(all.filter((one) => !state || one.state === state));
    }),
  );
  const { user } = renderPart(<SubscribersPanel site={SITE} />);
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
  expect(screen.getByText('eve@example.com')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute(
    'href',
    '/api/platform/sites/s1/subscribers.csv',
  );
  await user.selectOptions(screen.getByLabelText('Status'), 'Confirmed');
  await waitFor(() => expect(screen.queryByText('eve@example.com')).not.toBeInTheDocument());
});

test('an address is removed once that is confirmed', async () => {
  let kept = [subscriber('ada', 'confirmed')];
  server.use(
    http.get(PATH, () => json(kept)),
    http.delete('/api/platform/sites/{id}/subscribers/{subscriberId}', () => {
      kept = [];
      return noContent();
    }),
  );
  const { user } = renderPart(<SubscribersPanel site={SITE} />);
  await user.click(await screen.findByRole('button', { name: 'Remove ada@example.com' }));
  expect(requests('DELETE')).toEqual([]);
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText(/^No subscribers yet/)).toBeInTheDocument();
});
