import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';
import type { VisitorData } from '../api/visitor-data';

const FOUND: VisitorData = {
  stored: [
    {
      store: 'pageviews',
      what: 'Page views',
      count: 12,
      firstAt: '2026-11-01T09:30:00Z',
      lastAt: '2026-11-18T09:30:00Z',
      onErase: 'emptied',
      why: 'Rows stay for the figures.',
    },
    {
      store: 'awaiting_rate',
      what: 'Reports that wait for an exchange rate',
      count: 1,
      firstAt: null,
      lastAt: null,
      onErase: 'kept',
      why: 'Not decided yet.',
    },
  ],
  conversions: [
    {
      id: 'c1',
      event: 'sale',
      txid: 'ORDER-1',
      status: 'approved',
      amount: { amount: 4999, currency: 'USD' },
      commission: { amount: 500, currency: 'USD' },
      occurredAt: '2026-11-18T09:30:00Z',
    },
  ],
  ownTexts: [{ what: 'Payout', name: 'for ORDER-1', path: '/payouts', until: '' }],
  kept: [{ what: 'Backups', why: 'Until they are deleted.' }],
};
const PATH = '/api/platform/websites/{id}/visitor-data';

async function find() {
  signIn();
  const { user } = renderApp('/account-settings?tab=websites');
  const section = await screen.findByRole('region', { name: /^Visitor data of/ });
  await user.selectOptions(within(section).getByLabelText('Kind of ID'), 'order_id');
  await user.type(within(section).getByLabelText('Order ID'), ' ORDER-1 ');
  await user.click(within(section).getByRole('button', { name: 'Find' }));
  return { user, section };
}

test('a person is found: what is stored, what erasing does with it, what stays and why', async () => {
  server.use(http.post(`${PATH}/find`, () => json(FOUND)));
  const { section } = await find();
  const stored = await within(section).findByRole('list', { name: 'What is stored' });
  expect(within(stored).getByText('Page views: 12').closest('li')).toHaveTextContent('Personal data will be erased');
  expect(
    within(stored)
      .getByText(/wait for an exchange rate/)
      .closest('li'),
  ).toHaveTextContent('Will be kept');
  expect(within(section).getByText('sale ORDER-1').closest('li')).toHaveTextContent('$49.99, commission $5.00');
  expect(within(section).getByRole('list', { name: 'What is not erased, and why' })).toHaveTextContent('Backups');
  const own = within(section).getByRole('list', { name: /^Your own texts/ });
  expect(own).toHaveTextContent('for ORDER-1');
  expect(within(own).getByRole('link', { name: 'Payout' })).toHaveAttribute('href', '/payouts');
  expect(state.seen.find((item) => item.line.endsWith('/visitor-data/find'))?.body).toEqual({
    kind: 'order_id',
    value: 'ORDER-1',
    event: '',
  });
});

test('nothing is stored under an unknown ID, and an ID of many is refused in words', async () => {
  const nothing: VisitorData = { stored: [], conversions: [], ownTexts: FOUND.ownTexts, kept: [] };
  server.use(http.post(`${PATH}/find`, () => json(nothing)));
  const { user, section } = await find();
  expect(await within(section).findByText('Nothing is stored under this ID.')).toBeInTheDocument();
  expect(within(section).getByRole('link', { name: 'Payout' })).toBeInTheDocument();
  server.use(
    http.post(`${PATH}/find`, () => refuse(422, 'This ID leads to more than 10,000 events.', 'too_much_data')),
  );
  await user.click(within(section).getByRole('button', { name: 'Find' }));
  expect(await within(section).findByText(/more than 10,000 events/)).toBeInTheDocument();
});

test('erasing needs the password; then the erasure is in the list, without the ID', async () => {
  let erased = false;
  server.use(
    http.post(`${PATH}/find`, () => json(FOUND)),
    http.post(`${PATH}/erase`, () => {
      erased = true;
      return json({ id: 'e1', counts: { pageviews: 12 } }, { status: 201 });
    }),
    http.get(`${PATH}/erasures`, () =>
      json(
        erased
          ? [
              {
                id: 'e1',
                erasedAt: '2026-11-20T12:00:00Z',
                erasedBy: 'Ada',
                namedBy: 'order_id',
                counts: { pageviews: 12 },
                state: 'running',
              },
            ]
          : [],
      ),
    ),
  );
  const { user, section } = await find();
  await user.click(await within(section).findByRole('button', { name: 'Erase' }));
  const dialog = await screen.findByRole('dialog', { name: 'Erase this visitor?' });
  await user.type(within(dialog).getByLabelText(/password/i, { selector: 'input' }), 'correct horse');
  await user.click(within(dialog).getByRole('button', { name: 'Erase' }));
  const list = await within(section).findByRole('list', { name: 'Erased visitors' });
  expect(list).toHaveTextContent('Running');
  expect(list).toHaveTextContent('Found by order ID: 12 page views');
  expect(within(section).queryByText('sale ORDER-1')).not.toBeInTheDocument();
  expect(state.seen.find((item) => item.line.endsWith('/visitor-data/erase'))?.body).toEqual({
    kind: 'order_id',
    value: 'ORDER-1',
    event: '',
    password: 'correct horse',
  });
});
