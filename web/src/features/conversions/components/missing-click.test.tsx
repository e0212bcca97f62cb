import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { conversion } from '@/test/fixtures';
import { explanation } from '@/test/money';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';
import type { CandidateClick, MissingClick } from '../api/assignment';
import { causeOf, fixOf } from '../lib/missing-click';

const ASSIGN = '/api/platform/conversions/{id}/assign';
const sent = () => state.seen.filter(({ line }) => line.startsWith('POST') && line.endsWith('/c1/assign'));

const missing = (over: Partial<MissingClick> = {}): MissingClick => ({
  reason: 'no_click_id',
  clickId: null,
  clickedAt: null,
  windowDays: null,
  domain: null,
  coupon: null,
  currencies: null,
  searchedUntil: null,
  partnerId: 'p1',
  partnerName: 'NordVPN',
  postbackPreset: 'awin',
  clickIdParameter: 'clickref',
  ...over,
});

const click = (over: Partial<CandidateClick> = {}): CandidateClick => ({
  clickId: 'k7',
  at: '2026-11-20T11:00:00Z',
  linkId: 'l1',
  link: 'nord',
  partnerId: 'p1',
  partnerName: 'NordVPN',
  page: 'shop.example/best-vpn',
  source: 'news',
  campaign: 'spring',
  country: 'IS',
  device: 'mobile',
  isWithinWindow: true,
  conversions: 0,
  ...over,
});

const unattributed = (told: Partial<MissingClick> = {}, status: 'pending' | 'reversed' = 'pending') =>
  explanation({
    conversion: { ...explanation().conversion, status, partnerId: null, partnerName: null, clickId: null },
    rule: null,
    click: null,
    working: null,
    missingClick: missing(told),
  });

beforeEach(() => {
  signIn();
  state.conversions = [conversion({ partnerId: null, partnerName: null })];
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () => json(unattributed())),
    http.get('/api/platform/conversions/{id}/clicks', () =>
      json([click(), click({ clickId: 'k6', at: '2026-09-01T10:00:00Z', isWithinWindow: false })]),
    ),
  );
});

async function openForm() {
  const { user } = renderApp('/conversions?open=c1');
  const drawer = within(await screen.findByRole('dialog', { name: 'Transaction ORD-1' }));
  await user.click(await drawer.findByRole('button', { name: 'Assign by hand' }));
  return { user, drawer, form: within(drawer.getByRole('form', { name: 'Assign by hand' })) };
}

test('the drawer says why there is no click, and what to do with this network', async () => {
  const { user } = renderApp('/conversions?open=c1');
  const part = await screen.findByRole('region', { name: 'No matching click found' });
  expect(part).toHaveTextContent('The report contained no click ID, coupon or visitor. So no commission is credited.');
  expect(within(part).getByRole('heading', { name: 'How to fix this' })).toBeInTheDocument();
  expect(part).toHaveTextContent('it passes the click ID to NordVPN as clickref.');
  expect(part).toHaveTextContent('it must contain clickRef=!!!clickRef!!!');
  await user.click(within(part).getByRole('button', { name: 'Show postback URL' }));
  expect(await screen.findByRole('dialog', { name: 'Postback URL' })).toBeInTheDocument();
});

test('every reason has a cause and a next step', () => {
  const reasons: MissingClick['reason'][] = [
    'no_click_id',
    'placeholder',
    'unknown_click_id',
    'click_expired',
    'other_website',
    'click_after_sale',
    'outside_window',
    'bot_click',
    'no_exchange_rate',
    'unknown_coupon',
    'no_click_of_visitor',
  ];
  for (const reason of reasons) {
    expect(causeOf(missing({ reason }), String)).toMatch(/\w/);
    expect(fixOf(missing({ reason })).steps.length).toBeGreaterThan(0);
  }
  const outside = missing({ reason: 'outside_window', clickedAt: 'Oct 1', windowDays: 30 });
  expect(causeOf(outside, String)).toBe('The click of Oct 1 is outside the 30-day cookie window.');
});

test('a click is chosen with the keyboard and assigned with a reason', async () => {
  server.use(http.post(ASSIGN, () => json(conversion(), { headers: { 'X-Position': 'domain@9' } })));
  const { user, form } = await openForm();
  expect(form.getByLabelText('Assign to')).toHaveFocus();
  expect(await form.findByText('Outside cookie window')).toBeInTheDocument();
  const first = form.getByRole('radio', { name: /^Nov 20.*on shop.example\/best-vpn · from news · spring/ });
  await user.click(form.getByRole('button', { name: 'Assign' }));
  expect(form.getByText('Choose a click')).toBeInTheDocument();
  expect(form.getByText('Please give a reason')).toBeInTheDocument();
  expect(sent()).toEqual([]);
  first.focus();
  await user.keyboard(' ');
  await user.type(form.getByLabelText('Reason'), ' The network named it ');
  await user.keyboard('{Enter}');
  expect(await screen.findByText('Conversion assigned')).toBeInTheDocument();
  expect(sent().map(({ body }) => body)).toEqual([{ clickId: 'k7', reason: 'The network named it' }]);
});

test('a link is chosen where the click is not known', async () => {
  server.use(http.post(ASSIGN, () => json(conversion(), { headers: { 'X-Position': 'domain@9' } })));
  const { user, form } = await openForm();
  await user.selectOptions(form.getByLabelText('Assign to'), 'link');
  await user.click(await form.findByRole('radio'));
  await user.type(form.getByLabelText('Reason'), 'Told by phone');
  await user.click(form.getByRole('button', { name: 'Assign' }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent().map(({ body }) => body)).toEqual([{ linkId: state.links[0]?.id, reason: 'Told by phone' }]);
});

test('what is wrong with the choice is shown at it, until another one is chosen', async () => {
  server.use(
    http.post(ASSIGN, () =>
      refuse(400, 'This click happened after the sale.', 'click_after_sale', [
        { field: 'clickId', message: 'This click happened after the sale.' },
      ]),
    ),
  );
  const { user, form } = await openForm();
  await user.click(await form.findByRole('radio', { name: /^Nov 20/ }));
  await user.type(form.getByLabelText('Reason'), 'x');
  await user.click(form.getByRole('button', { name: 'Assign' }));
  expect(await form.findByText('This click happened after the sale.')).toBeInTheDocument();
  expect(form.getByRole('radiogroup')).toBeInvalid();
  await user.click(form.getByRole('radio', { name: /^Sep 1/ }));
  expect(form.queryByText('This click happened after the sale.')).not.toBeInTheDocument();
});

test('an assignment says who, when and why', async () => {
  const assignment = { by: 'you', at: '2026-11-21T09:00:00Z', reason: 'Named by the network' };
  const { click: found } = explanation();
  const told = explanation({ assignment, click: found && { ...found, by: 'manual' } });
  server.use(http.get('/api/platform/conversions/{id}/explain', () => json(told)));
  renderApp('/conversions?open=c1');
  expect(await screen.findByText(/^Assigned by you on Nov 21.*: Named by the network$/)).toBeInTheDocument();
  expect(screen.getByText('assignment')).toBeInTheDocument();
});

test('a reversed sale is explained but not assigned', async () => {
  server.use(http.get('/api/platform/conversions/{id}/explain', () => json(unattributed({}, 'reversed'))));
  renderApp('/conversions?open=c1');
  expect(await screen.findByText('How to fix this')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Assign by hand' })).not.toBeInTheDocument();
});

test('more clicks than the first are shown when they are wanted', async () => {
  server.use(
    http.get('/api/platform/conversions/{id}/clicks', ({ request }) => {
      const limit = Number(new URL(request.url).searchParams.get('limit'));
      return json(Array.from({ length: Math.min(limit, 30) }, (_, index) => click({ clickId: `k${index}` })));
    }),
  );
  const { user, form } = await openForm();
  expect(await form.findAllByRole('radio')).toHaveLength(20);
  await user.click(form.getByRole('button', { name: 'Show more' }));
  await waitFor(() => expect(form.getAllByRole('radio')).toHaveLength(30));
  expect(form.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument();
});

test('the clicks before a sale say since when they are stored', async () => {
  server.use(
    http.get('/api/platform/conversions/{id}/clicks', () =>
      json([click()], { headers: { 'X-Events-Kept-From': '2026-03-01' } }),
    ),
  );
  const { user, form } = await openForm();
  expect(await form.findByText(/Individual events are available from Mar 1, 2026 \(UTC\)\./)).toBeInTheDocument();
  expect(form.getByRole('link', { name: 'Retention settings' })).toBeInTheDocument();
  await user.selectOptions(form.getByLabelText('Assign to'), 'link');
  expect(form.queryByText(/Individual events/)).not.toBeInTheDocument();
});
