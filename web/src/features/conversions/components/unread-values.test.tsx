import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { Explanation } from '@/lib/api/types';
import { conversion } from '@/test/fixtures';
import { explanation } from '@/test/money';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';

const REPORT = '/api/platform/conversions/{id}/reports/{reportId}/correct';
const bodies: unknown[] = [];

const unread = (field: string, text: string): Explanation['unread'][number] => ({
  reportId: 'r1',
  field,
  text,
  isPlaceholder: field === 'txid',
  reportedBy: 'postback',
  at: '2026-11-20T12:00:01Z',
});

beforeEach(() => {
  signIn();
  bodies.length = 0;
  state.conversions = [conversion({ unread: ['amount', 'status', 'txid'] })];
  const told = explanation({
    unread: [unread('amount', '1,234'), unread('status', 'gebucht'), unread('txid', '[TID]')],
  });
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () => json(told)),
    http.post(REPORT, async ({ request }) => {
      bodies.push(await request.json());
      return json(conversion());
    }),
    http.post('/api/platform/conversions/{id}/read-again', () => json(conversion())),
  );
});

async function opened() {
  const { user } = renderApp('/conversions?open=c1');
  const heading = await screen.findByRole('heading', { name: 'Unreadable values' });
  const part = within(heading.closest('section') as HTMLElement);
  await part.findByText('1,234');
  return { user, part };
}

test('what was sent is shown, and an amount and a status are corrected in place', async () => {
  const { user, part } = await opened();
  expect(part.getByText('[TID]')).toBeInTheDocument();
  expect(part.getByText(/unfilled placeholder/)).toBeInTheDocument();
  await user.type(part.getByLabelText('Correct amount (USD)'), '1234.00');
  await user.click(part.getAllByRole('button', { name: 'Save' })[0] as HTMLElement);
  expect(await screen.findByText('Report corrected')).toBeInTheDocument();
  await user.selectOptions(part.getByLabelText('Correct status'), 'Approved');
  await user.click(part.getAllByRole('button', { name: 'Save' })[1] as HTMLElement);
  await waitFor(() =>
    expect(bodies).toEqual([{ amount: { amount: 123_400, currency: 'USD' } }, { status: 'approved' }]),
  );
});

test('an amount that is none is not sent, and a failure is shown', async () => {
  server.use(http.post(REPORT, () => refuse(409, 'This value was corrected already.')));
  const { user, part } = await opened();
  const field = part.getByLabelText('Correct amount (USD)');
  const save = part.getAllByRole('button', { name: 'Save' })[0] as HTMLElement;
  await user.type(field, 'many{Enter}');
  expect(await part.findByText('Please enter a valid amount in USD')).toBeInTheDocument();
  await user.clear(field);
  await user.type(field, '12');
  await user.click(save);
  expect(await screen.findByText('This value was corrected already.')).toBeInTheDocument();
});

test('the values are read again with the words of the network', async () => {
  const { user, part } = await opened();
  await user.click(part.getByRole('button', { name: 'Read again' }));
  expect(await screen.findByText('Values read again')).toBeInTheDocument();
});
