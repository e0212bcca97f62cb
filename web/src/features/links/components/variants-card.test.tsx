// The card of a split: its numbers and verdict, its winner, and weights that follow results.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { LinkSplit } from '@/lib/api/types';
import { link, linkSplit, splitVariant } from '@/test/fixtures';
import { http, json, refuse } from '@/test/http';
import { renderPart } from '@/test/render';
import { server } from '@/test/server';
import { VariantsCard } from './variants-card';

const OLD = splitVariant(1, 'Old page');
const NAMED = [OLD, splitVariant(4, 'New page')];
const AHEAD = { better: 4, other: 1, by: 12, low: 3, high: 21, percent: 37.2, sureness: 0.998, isCertain: true };
const SHIFT: LinkSplit['shifts'][number] = {
  version: 7,
  at: '2026-11-19T04:10:00Z',
  outcome: 'shifted',
  leader: 4,
  sureness: 0.998,
  undoneAt: null,
  variants: [
    { number: 1, before: 50, after: 40, getsTraffic: true, clicks: 800, conversions: 31, buyers: 30, revenue: 30_000 },
    { number: 4, before: 50, after: 60, getsTraffic: true, clicks: 790, conversions: 82, buyers: 80, revenue: 90_000 },
  ],
};

/** The card of a split whose answer the test may change. */
function renderSplit(over: Partial<LinkSplit> = {}) {
  let split = linkSplit({ variants: NAMED, ...over });
  const sent: unknown[] = [];
  const change = (next: Partial<LinkSplit>) => {
    split = { ...split, ...next };
  };
  server.use(
    http.get('/api/platform/links/{id}/split', () => json(split)),
    http.put('/api/platform/links/{id}/split/shifting', async ({ request }) => {
      const body = (await request.json()) as LinkSplit['shifting'];
      sent.push(body);
      change({ shifting: body });
      return json(body);
    }),
    http.post('/api/platform/links/{id}/split/shifts/{version}/undo', async ({ request, params }) => {
      const { isOn } = (await request.json()) as { isOn: boolean };
      sent.push({ version: params.version, isOn });
      change({
        shifting: { ...split.shifting, isOn },
        shifts: split.shifts.map((item) => ({ ...item, undoneAt: '2026-11-20T09:00:00Z' })),
      });
      return json(split.shifting);
    }),
  );
  return { ...renderPart(<VariantsCard link="l1" />), sent, change };
}

const card = () => screen.findByRole('region', { name: 'Shift weights by results' });
const log = () => screen.findByRole('region', { name: 'Shift log' });
const row = async (name: string) =>
  (await screen.findAllByRole('row')).find((item) => within(item).queryByText(name) !== null);

test('a split without enough sales says what is missing', async () => {
  renderSplit({ missingDays: 3, missingBuyers: [{ number: 4, buyers: 21 }] });
  expect(await screen.findByText('Not enough data yet')).toBeInTheDocument();
  expect(screen.getByText('A verdict needs 21 more buyers of New page, 3 more days.')).toBeInTheDocument();
  expect(screen.queryByText('Winner')).not.toBeInTheDocument();
});

test.each([
  ['undecided', 'Not certain yet', /^New page is ahead of Old page by \$0\.120 \(37%\) per click/],
  ['equal', 'No difference', /^The variants differ by less than 10% per click/],
] as const)('a split that is %s has no winner', async (verdict, title, text) => {
  renderSplit({ verdict, leader: 4, comparisons: [AHEAD], moreBuyers: 40 });
  expect(await screen.findByText(title)).toBeInTheDocument();
  expect(screen.getByText(text)).toBeInTheDocument();
  expect(screen.queryByText('Winner')).not.toBeInTheDocument();
});

test('the winner is marked at its numbers, with the difference and how sure it is', async () => {
  renderSplit({ verdict: 'winner', leader: 4, comparisons: [AHEAD] });
  expect(await screen.findByText('New page wins')).toBeInTheDocument();
  expect(screen.getByText(/Sureness: 99\.8%\.$/)).toBeInTheDocument();
  const winner = await row('New page');
  expect(winner).toHaveTextContent('New pageWinner50% · NordVPN90030$300.00$0.333$0.200 – $0.460');
  expect(await row('Old page')).not.toHaveTextContent('Winner');
});

test('the test is ended with a variant, and resumed', async () => {
  const { user, change } = renderSplit();
  const chosen: unknown[] = [];
  server.use(
    http.put('/api/platform/links/{id}/split/winner', async ({ request }) => {
      const { variant } = (await request.json()) as { variant: number | null };
      chosen.push(variant);
      change({ winner: variant });
      return json(link());
    }),
  );
  await user.click(await screen.findByRole('button', { name: 'End test with New page as the winner' }));
  expect(await screen.findByText(/^The test is over/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /Old page/ })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Resume test' }));
  expect(await screen.findByRole('button', { name: /Old page/ })).toBeInTheDocument();
  expect(chosen).toEqual([4, null]);
});

test('a variant of an inactive partner is named', async () => {
  renderSplit({ variants: [OLD, splitVariant(4, 'New page', { getsTraffic: false, share: 0 })] });
  expect(await screen.findByText(/^New page gets no traffic: NordVPN is inactive/)).toBeInTheDocument();
});

test('shifting is turned on with its limits, changed and turned off', async () => {
  const { user, sent } = renderSplit();
  const shifting = within(await card());
  expect(shifting.getByText('Off')).toBeInTheDocument();
  expect(shifting.queryByRole('button', { name: 'Turn off' })).not.toBeInTheDocument();
  const floor = shifting.getByLabelText('Each variant keeps (%)');
  await user.clear(floor);
  await user.type(floor, '60');
  await user.click(shifting.getByRole('button', { name: 'Turn on' }));
  expect(floor).toHaveAccessibleDescription('Please enter 50 or less');
  await user.clear(floor);
  await user.type(floor, '20');
  await user.click(shifting.getByRole('button', { name: 'Turn on' }));
  expect(await shifting.findByText('On')).toBeInTheDocument();
  expect(shifting.getByRole('button', { name: 'Save limits' })).toBeDisabled();
  await user.clear(shifting.getByLabelText('Shift a day (points)'));
  await user.type(shifting.getByLabelText('Shift a day (points)'), '5');
  await user.click(shifting.getByRole('button', { name: 'Save limits' }));
  await waitFor(() => expect(shifting.getByRole('button', { name: 'Save limits' })).toBeDisabled());
  await user.click(shifting.getByRole('button', { name: 'Turn off' }));
  expect(await shifting.findByText('Off')).toBeInTheDocument();
  expect(sent).toEqual([
    { isOn: true, minShare: 20, maxStep: 10 },
    { isOn: true, minShare: 20, maxStep: 5 },
    { isOn: false, minShare: 20, maxStep: 5 },
  ]);
});

test('a limit that the split cannot keep shows at its field', async () => {
  const { user } = renderSplit();
  server.use(
    http.put('/api/platform/links/{id}/split/shifting', () =>
      refuse(400, 'With 3 variants each can keep at most 33%.', 'bad_min_share', [
        { field: 'minShare', message: 'With 3 variants each can keep at most 33%.' },
      ]),
    ),
  );
  const shifting = within(await card());
  await user.click(shifting.getByRole('button', { name: 'Turn on' }));
  await waitFor(() =>
    expect(shifting.getByLabelText('Each variant keeps (%)')).toHaveAccessibleDescription(
      'With 3 variants each can keep at most 33%.',
    ),
  );
});

test('shifting pauses while the test is over', async () => {
  renderSplit({ winner: 4, shifting: { isOn: true, minShare: 10, maxStep: 10 } });
  expect(within(await card()).getByText('Paused: the test is over. Resume it to go on.')).toBeInTheDocument();
});

test('the log says when, from what to what, and why, also why nothing shifted', async () => {
  const quiet = { ...SHIFT, version: 5, leader: null, sureness: null, outcome: 'collecting' } as const;
  renderSplit({ shifts: [SHIFT, quiet] });
  const [shifted, kept] = within(await log()).getAllByRole('listitem');
  expect(shifted).toHaveTextContent('New page earns more per click (sureness 99.8%)');
  expect(shifted).toHaveTextContent('Nov 19, 04:10 UTC · Old page 50% → 40% · New page 50% → 60%');
  expect(shifted).toHaveTextContent('Decided on 1,590 clicks and 110 buyers');
  expect(kept).toHaveTextContent('No shift: not enough yet');
  expect(screen.getAllByRole('button', { name: /^Undo the shift/ })).toHaveLength(1);
});

test.each([
  ['undecided', 'No shift: the difference is not certain yet'],
  ['equal', 'No shift: the variants earn the same'],
  ['at_bounds', 'No shift: New page has all that the limits allow'],
] as const)('a day that is %s has its reason in the log', async (outcome, text) => {
  renderSplit({ shifts: [{ ...SHIFT, outcome }] });
  expect(within(await log()).getByText(text)).toBeInTheDocument();
});

test('one click undoes a shift and turns the shifting off', async () => {
  const { user, sent } = renderSplit({ shifts: [SHIFT], shifting: { isOn: true, minShare: 10, maxStep: 10 } });
  await user.click(within(await log()).getByRole('button', { name: 'Undo the shift of Nov 19, 04:10 UTC' }));
  expect(await screen.findByText('Undone')).toBeInTheDocument();
  expect(await within(await card()).findByText('Off')).toBeInTheDocument();
  expect(screen.getByText('Shifting is off.')).toBeInTheDocument();
  expect(sent).toEqual([{ version: '7', isOn: false }]);
});

test('an undo may leave the shifting on', async () => {
  const { user, sent } = renderSplit({ shifts: [SHIFT], shifting: { isOn: true, minShare: 10, maxStep: 10 } });
  await user.click(await screen.findByLabelText('Keep shifting after an undo'));
  await user.click(screen.getByRole('button', { name: /^Undo the shift/ }));
  expect(await screen.findByText('Undone')).toBeInTheDocument();
  expect(sent).toEqual([{ version: '7', isOn: true }]);
});
