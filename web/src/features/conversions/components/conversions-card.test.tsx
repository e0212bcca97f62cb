import { screen, waitFor, within } from '@testing-library/react';
import { delay, http, HttpResponse } from 'msw';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Conversion } from '@/lib/api/types';
import { conversion, website } from '@/test/fixtures';
import { renderPart } from '@/test/render';
import { at, refuse, requests, server, state } from '@/test/server';
import { ConversionsCard } from './conversions-card';

const show = (status: Conversion['status'] | null = null) => {
  const picked: string[] = [];
  const part = renderPart(
    <ConversionsCard
      website={website()}
      status={status}
      onStatus={(next) => picked.push(next ?? 'all')}
      partnerId={null}
      onPickPartner={(id) => picked.push(id)}
    />,
  );
  return { ...part, picked };
};
const decideAs = (kind: 'approve' | 'reject' | 'reverse', row: Conversion) =>
  http.post(at(`/api/platform/conversions/{id}/${kind}`), () => {
    state.conversions = [row];
    return HttpResponse.json(row, { headers: { 'X-Position': 'domain@77' } });
  });
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;
const row = () => screen.getAllByRole('row')[1] as HTMLElement;

test('a row shows what was reported, what it earns and what may be decided', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T00:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  show();
  await screen.findByText('ORD-1');
  expect(row()).toHaveTextContent('Nov 20, 12:00');
  expect(row()).toHaveTextContent('$100.00');
  expect(row()).toHaveTextContent('$30.00');
  expect(within(row()).getByText('Pending')).toBeInTheDocument();
  expect(
    within(row())
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['NordVPN', 'Approve', 'Reject']);
});

test('approving shows at once, is confirmed by the server, and the next reads wait for it', async () => {
  server.use(
    http.post(at('/api/platform/conversions/{id}/approve'), async () => {
      await delay(50);
      state.conversions = [conversion({ status: 'approved' })];
      return HttpResponse.json(state.conversions[0], { headers: { 'X-Position': 'domain@77' } });
    }),
  );
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Approve ORD-1' }));
  await waitFor(() => expect(within(row()).getByText('Approved')).toBeInTheDocument());
  expect(await screen.findByText('Conversion approved', { exact: true })).toBeInTheDocument();
  await waitFor(() =>
    expect(
      state.seen
        .filter((item) => item.line.startsWith('GET /api/platform/conversions'))
        .at(-1)
        ?.headers.get('X-Wait-For'),
    ).toBe('domain@77'),
  );
  expect(within(row()).getByRole('button', { name: 'Reverse ORD-1' })).toBeInTheDocument();
});

test('by keyboard alone: the focus stays in the row that was decided, also through the dialog', async () => {
  server.use(decideAs('approve', conversion({ status: 'approved' })));
  server.use(decideAs('reverse', conversion({ status: 'reversed', reversed: { amount: 10_000, currency: 'USD' } })));
  const { user } = show();
  (await screen.findByRole('button', { name: 'Approve ORD-1' })).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Reverse ORD-1' })).toHaveFocus());
  await screen.findByText('Conversion approved', { exact: true });
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Reverse ORD-1' })).not.toHaveAttribute('aria-disabled', 'true'),
  );
  await user.keyboard('{Enter}');
  await screen.findByRole('dialog', { name: 'Reverse conversion' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Reverse ORD-1' })).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.type(await screen.findByLabelText('Reason'), 'Refund{Enter}');
  await waitFor(() => expect(within(row()).getByText('Reversed')).toBeInTheDocument());
  await waitFor(() => expect(document.activeElement).toContainElement(row()));
  expect(document.body).not.toHaveFocus();
});

test('a refused decision restores the row and shows the reason', async () => {
  server.use(http.post(at('/api/platform/conversions/{id}/approve'), () => refuse(409, 'It was already rejected')));
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Approve ORD-1' }));
  expect(await screen.findByText('Failed to approve', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('It was already rejected', { exact: true })).toBeInTheDocument();
  await waitFor(() => expect(within(row()).getByText('Pending')).toBeInTheDocument());
});

test('rejecting needs a reason', async () => {
  server.use(decideAs('reject', conversion({ status: 'rejected', reason: 'Fraud' })));
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Reject ORD-1' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reject conversion' });
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  expect(within(dialog).getByText('Please give a reason')).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.type(within(dialog).getByLabelText('Reason'), ' Fraud ');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  await waitFor(() => expect(within(row()).getByText('Rejected')).toBeInTheDocument());
  expect(bodyOf('/reject')).toEqual({ reason: 'Fraud' });
});

test('a partial reversal sends exact minor units and never exceeds the remaining amount', async () => {
  state.conversions = [conversion({ status: 'approved', reversed: { amount: 2500, currency: 'USD' } })];
  server.use(
    decideAs(
      'reverse',
      conversion({ status: 'approved', reversed: { amount: 2529, currency: 'USD' }, reason: 'Refund' }),
    ),
  );
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Reverse ORD-1' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reverse conversion' });
  await user.type(within(dialog).getByLabelText('Reason'), 'Refund');
  const amount = within(dialog).getByLabelText('Amount (USD, optional)');
  await user.type(amount, '75.01');
  await user.click(within(dialog).getByRole('button', { name: 'Reverse' }));
  expect(within(dialog).getByText('At most $75.00 can be reversed')).toBeInTheDocument();
  await user.clear(amount);
  await user.type(amount, 'ten');
  expect(within(dialog).getByText('Please enter a valid amount in USD')).toBeInTheDocument();
  await user.clear(amount);
  await user.type(amount, '0.29');
  await user.click(within(dialog).getByRole('button', { name: 'Reverse' }));
  await waitFor(() => expect(bodyOf('/reverse')).toEqual({ reason: 'Refund', amount: 29 }));
  await waitFor(() => expect(row()).toHaveTextContent('−$25.29'));
});

test('reversing the whole sends no amount', async () => {
  state.conversions = [conversion({ status: 'approved' })];
  server.use(decideAs('reverse', conversion({ status: 'reversed', reversed: { amount: 10_000, currency: 'USD' } })));
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Reverse ORD-1' }));
  await user.type(await screen.findByLabelText('Reason'), 'Refund');
  await user.click(screen.getByRole('button', { name: 'Reverse' }));
  await waitFor(() => expect(bodyOf('/reverse')).toEqual({ reason: 'Refund' }));
  expect(await screen.findByText('Conversion reversed', { exact: true })).toBeInTheDocument();
});

test('the status filter is asked of the server; partner names filter the page', async () => {
  const { user, picked } = show('pending');
  await screen.findByText('ORD-1');
  expect(requests('GET /api/platform/conversions?')[0]).toContain('status=pending');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'approved');
  await user.click(screen.getByRole('button', { name: 'Filter by NordVPN' }));
  expect(picked).toEqual(['approved', 'p1']);
});

test('more rows are fetched by the cursor', async () => {
  server.use(
    http.get(at('/api/platform/conversions'), ({ request }) =>
      new URL(request.url).searchParams.get('cursor')
        ? HttpResponse.json([conversion({ id: 'c2', txid: 'ORD-2' })])
        : HttpResponse.json([conversion()], {
            headers: { Link: '</api/platform/conversions?cursor=next>; rel="next"' },
          }),
    ),
  );
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('ORD-2')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
});

test('empty and failing lists have words', async () => {
  server.use(http.get(at('/api/platform/conversions'), () => refuse(500, 'Broken'), { once: true }));
  state.conversions = [];
  const { user } = show('reversed');
  expect(await screen.findByText('Error loading conversions: Broken')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No conversions match these filters.')).toBeInTheDocument();
});
