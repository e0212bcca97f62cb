import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { components } from '@/lib/api/schema';
import type { Website, WebsiteKey } from '@/lib/api/types';
import { FakeEventSource } from '@/test/event-source';
import { delivery, figures, live, liveEvent, outcomes, overview, partner, website } from '@/test/fixtures';
import { watchCopies } from '@/test/clipboard';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { bareDomain } from './connect-form';
import { snippet } from '../lib/snippet';

type CreatedKey = components['schemas']['CreatedKey'];

const CONNECTED: Ok<'/api/platform/websites', 'post'> = {
  ...website(),
  id: 'w9',
  domain: 'shop.example',
  timezone: 'UTC',
  currency: 'USD',
  siteKey: 'pk_1',
  secretKey: 'sk_1',
  postbackToken: 'pb_1',
};
const SITE_KEY: WebsiteKey = {
  id: 'k1',
  kind: 'site',
  key: 'pk_1',
  name: 'Default',
  isReadable: false,
  hint: 'pk_…1',
  last4: 'pk_1',
  allowedOrigins: ['https://a.example'],
  createdAt: '2026-11-01T00:00:00Z',
  lastUsedAt: '2026-11-20T12:34:00Z',
  revokedAt: null,
};
const SECRET_KEY: WebsiteKey = {
  id: 'k2',
  kind: 'secret',
  key: null,
  name: '',
  isReadable: false,
  hint: 'sk_…1',
  last4: 'sk_1',
  allowedOrigins: [],
  createdAt: '2026-11-01T00:00:00Z',
  lastUsedAt: null,
  revokedAt: null,
};
const TOKEN: WebsiteKey = {
  ...SECRET_KEY,
  id: 'k5',
  kind: 'postback',
  name: 'Awin',
  isReadable: true,
  hint: 'pb_…9gmq',
  last4: '9gmq',
};
const KEYS: WebsiteKey[] = [SITE_KEY, SECRET_KEY];
const newKey = (of: Pick<CreatedKey, 'id' | 'kind' | 'key'> & Partial<CreatedKey>): CreatedKey => ({
  name: '',
  allowedOrigins: [],
  createdAt: '2026-11-01T00:00:00Z',
  ...of,
});

beforeEach(() => {
  signIn();
  server.use(
    http.post('/api/platform/websites', () => {
      state.websites = [website({ id: 'w9', domain: 'shop.example' })];
      return json(CONNECTED, { status: 201 });
    }),
  );
});

async function connect(domain = 'https://Shop.example/page?x=1') {
  const app = renderApp('/onboarding');
  await app.user.type(await screen.findByLabelText('Domain'), domain);
  await app.user.click(screen.getByRole('button', { name: 'Connect Website' }));
  return app;
}

test.each([
  ['https://Shop.Example:8443/a?b#c', 'shop.example'],
  [' shop.example ', 'shop.example'],
  ['localhost', 'localhost'],
])('%s means %s', (text, domain) => {
  expect(bareDomain(text)).toBe(domain);
});

test('the snippet names the tracking server and the key', () => {
  expect(snippet('http://t.example/', 'pk_1')).toBe(
    '<script defer src="http://t.example/t.js" data-site="pk_1"></script>',
  );
});

test('connecting: zone of this browser, currency, then snippet and keys, shown once', async () => {
  await connect();
  expect(
    await screen.findByText('<script defer src="http://t.example/t.js" data-site="pk_1"></script>'),
  ).toBeInTheDocument();
  for (const [name, value] of [
    ['Site key', 'pk_1'],
    ['Secret key', 'sk_1'],
    ['Postback token', 'pb_1'],
  ] as const) {
    expect(within(screen.getByRole('group', { name })).getByText(value)).toBeInTheDocument();
  }
  expect(screen.getByText(/is shown only once/)).toBeInTheDocument();
  expect(state.seen.find((item) => item.line === 'POST /api/platform/websites')?.body).toEqual({
    domain: 'shop.example',
    timezone: 'UTC',
    currency: 'USD',
  });
});

test('a domain that is none, or taken, is said at the field', async () => {
  server.use(
    http.post('/api/platform/websites', () =>
      refuse(409, 'Refused', 'taken', [{ field: 'domain', message: 'This domain is already connected' }]),
    ),
  );
  const { user } = await connect('not a domain');
  expect(await screen.findByText('Please enter a domain, such as example.com')).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.clear(screen.getByLabelText('Domain'));
  await user.type(screen.getByLabelText('Domain'), 'shop.example');
  await user.click(screen.getByRole('button', { name: 'Connect Website' }));
  expect(await screen.findByText('This domain is already connected')).toBeInTheDocument();
});

const noEvents = () => {
  state.delivery = delivery({ outcomes: outcomes() });
  state.overview = overview(figures({ clicks: { total: 0, unique: 0 }, pageviews: 0 }));
};

test('"The first event has arrived" is said once the reports show it', async () => {
  noEvents();
  const { user, router } = await connect();
  expect(await screen.findByText('Waiting for the first event')).toBeInTheDocument();
  FakeEventSource.last.send('snapshot', live());
  expect(screen.getByText('Waiting for the first event')).toBeInTheDocument();
  FakeEventSource.last.send('update', live({ recent: [liveEvent()] }));
  expect(screen.getByText('It is being added to your reports...')).toBeInTheDocument();
  state.overview = overview(figures({ clicks: { total: 0, unique: 0 }, pageviews: 1 }));
  expect(await screen.findByText(/^shop\.example is connected, and Analytics shows the event/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to Dashboard' })).toHaveAttribute('href', '/dashboard?website=w9');
  await user.click(screen.getByRole('link', { name: 'Open Analytics' }));
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?website=w9&range=24h'));
});

test.each([
  ['of a bot', { bot: 1 }, 'An event of a bot has arrived'],
  ['that was rejected', { origin_not_allowed: 1 }, 'An event was rejected'],
] as const)('an event %s is named as what it is: no report will show it', async (_, counts, words) => {
  noEvents();
  state.delivery = delivery({ outcomes: outcomes(counts) });
  await connect();
  expect(await screen.findByText(words)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Send a test event' })).toBeInTheDocument();
  expect(screen.queryByText('The first event has arrived')).not.toBeInTheDocument();
});

test('without a website the form stands open in the settings, and one button sends it', async () => {
  state.websites = [];
  const { user } = renderApp('/account-settings?tab=websites');
  await user.type(await screen.findByLabelText('Domain'), 'shop.example');
  await user.click(screen.getByRole('button', { name: 'Connect Website' }));
  expect(within(await screen.findByRole('group', { name: 'Secret key' })).getByText('sk_1')).toBeInTheDocument();
});

test('a test event goes to the tracking server as a website would send it', async () => {
  noEvents();
  let sent: unknown;
  server.use(
    http.any('http://t.example/track', async ({ request }) => {
      sent = {
        ...((await request.json()) as object),
        contentType: request.headers.get('Content-Type'),
        authorization: request.headers.get('Authorization'),
      };
      return json({ accepted: 1, rejected: [] }, { status: 202 });
    }),
  );
  const { user } = await connect();
  await user.click(await screen.findByRole('button', { name: 'Send a test event' }));
  expect(await screen.findByText('Test event sent', { exact: true })).toBeInTheDocument();
  expect(sent).toEqual({
    type: 'althing.test',
    site: 'pk_1',
    url: 'https://shop.example/',
    contentType: 'text/plain',
    authorization: null,
  });
});

test('a refused test event says why', async () => {
  noEvents();
  server.use(
    http.any('http://t.example/track', () =>
      refuse(403, "This site key may not be used from this page: its origin is not in the key's list."),
    ),
  );
  const { user } = await connect();
  await user.click(await screen.findByRole('button', { name: 'Send a test event' }));
  expect(
    await screen.findByText("This site key may not be used from this page: its origin is not in the key's list.", {
      exact: true,
    }),
  ).toBeInTheDocument();
});

test('keys that are shown once stay when the list of websites cannot be read again', async () => {
  let broken = false;
  server.use(
    http.get('/api/platform/websites', () => (broken ? refuse(503, 'Not now') : json([website()]))),
    http.post('/api/platform/websites', () => {
      broken = true;
      return json(CONNECTED, { status: 201 });
    }),
  );
  const { user } = renderApp('/account-settings?tab=websites');
  await user.click(await screen.findByRole('button', { name: 'Connect Website' }));
  await user.type(await screen.findByLabelText('Domain'), 'shop.example');
  const form = screen.getByRole('region', { name: 'Connect a website' });
  await user.click(within(form).getByRole('button', { name: 'Connect Website' }));
  expect(await screen.findByText('Not now')).toBeInTheDocument();
  expect(within(screen.getByRole('group', { name: 'Secret key' })).getByText('sk_1')).toBeInTheDocument();
});

test('keys are listed; a new one is shown once; an old one is revoked after asking', async () => {
  server.use(
    http.get('/api/platform/websites/{id}/keys', () => json(KEYS.toReversed())),
    http.post('/api/platform/websites/{id}/keys', () =>
      json(newKey({ id: 'k3', kind: 'site', key: 'pk_new' }), { status: 201 }),
    ),
    http.delete('/api/platform/websites/{id}/keys/{keyId}', () => noContent()),
  );
  const { user } = renderApp('/account-settings?tab=websites');
  const table = await screen.findByRole('region', { name: 'Keys of vpnreview.is' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    'Site keyDefaultpk_1https://a.exampleNov 1, 2026Nov 20, 2026',
  );
  expect(within(table).getAllByRole('row')[2]).toHaveTextContent('Secret key–sk_…1–Nov 1, 2026Never');
  await user.click(screen.getByRole('button', { name: 'New key' }));
  await user.selectOptions(await screen.findByLabelText('Kind'), 'site');
  await user.type(screen.getByLabelText('Allowed origins (optional)'), 'https://a.example, https://b.example');
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText('pk_new')).toBeInTheDocument();
  fireEvent.pointerDown(document.body); // a stray click beside it
  expect(screen.getByText('pk_new')).toBeInTheDocument();
  expect(state.seen.find((item) => item.line === 'POST /api/platform/websites/w1/keys')?.body).toEqual({
    kind: 'site',
    name: '',
    allowedOrigins: ['https://a.example', 'https://b.example'],
  });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await user.click(screen.getByRole('button', { name: 'Rotate Site key pk_…1' }));
  expect(await screen.findByLabelText('Allowed origins (optional)')).toHaveValue('https://a.example');
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText('pk_new')).toBeInTheDocument();
  expect(state.seen.findLast((item) => item.line === 'POST /api/platform/websites/w1/keys')?.body).toEqual({
    kind: 'site',
    name: 'Default',
    allowedOrigins: ['https://a.example'],
  });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await user.click(await screen.findByRole('button', { name: 'Revoke Secret key sk_…1' }));
  await user.click(await screen.findByRole('button', { name: 'Revoke key' }));
  expect(await screen.findByText('Key revoked', { exact: true })).toBeInTheDocument();
  expect(requests('DELETE')).toEqual(['DELETE /api/platform/websites/w1/keys/k2']);
});

test('a new postback token comes with the whole address for a network', async () => {
  server.use(
    http.get('/api/platform/websites/{id}/keys', () => json([...KEYS])),
    http.post('/api/platform/websites/{id}/keys', () =>
      json(newKey({ id: 'k4', kind: 'postback', key: 'pb_new' }), { status: 201 }),
    ),
    http.get('/api/platform/partners', () =>
      json([
        partner(),
        partner({ id: 'p2', name: 'Wool', slug: 'wool', postbackPreset: 'voluum' }),
        partner({ id: 'p3', name: 'Gone', isActive: false }),
      ]),
    ),
  );
  const { user } = renderApp('/account-settings?tab=websites');
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.selectOptions(await screen.findByLabelText('Kind'), 'postback');
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  const address = await screen.findByRole('region', { name: 'Postback URL' });
  expect(within(address).queryByText('Gone')).not.toBeInTheDocument();
  expect(address).toHaveTextContent(
    '/postback?partner=nordvpn&click_id={click_id}&txid={txid}&amount={amount}&currency={currency}&status={status}&token=pb_new',
  );
  await user.selectOptions(within(address).getByLabelText('Partner'), 'Wool');
  expect(address).toHaveTextContent(
    '/postback?partner=wool&cid={externalid}&payout={payout}&txid={transaction.id}&currency={currency}&et={conversion.type}&token=pb_new',
  );
});

test('the postback URL of a token that is in use is copied whole, and only then is the token read', async () => {
  server.use(
    http.get('/api/platform/websites/{id}/keys', () => json([...KEYS, TOKEN])),
    http.post('/api/platform/websites/{id}/keys/{keyId}/reveal', () => json({ token: 'pb_whole' })),
    http.get('/api/platform/partners', () => json([partner({ postbackPreset: 'awin' })])),
  );
  const copied = watchCopies();
  const { user } = renderApp('/account-settings?tab=websites');
  await user.click(await screen.findByRole('button', { name: 'Postback URL of Awin pb_…9gmq' }));
  const address = await screen.findByRole('region', { name: 'Postback URL' });
  expect(address).toHaveTextContent('partner=nordvpn&clickRef=!!!clickRef!!!');
  expect(address).toHaveTextContent('token=pb_••••9gmq');
  expect(requests('POST')).toEqual([]);
  await user.click(within(address).getByRole('button', { name: 'Copy postback URL' }));
  expect(await screen.findByText('Postback URL copied', { exact: true })).toBeInTheDocument();
  expect(requests('POST')).toEqual(['POST /api/platform/websites/w1/keys/k5/reveal']);
  expect(copied).toEqual([expect.stringMatching(/&token=pb_whole$/)]);
});

test('where no token can be shown again, a new one is made with one click', async () => {
  let keys = KEYS;
  server.use(
    http.get('/api/platform/websites/{id}/keys', () => json(keys)),
    http.post('/api/platform/websites/{id}/keys', () => {
      keys = [...KEYS, { ...TOKEN, id: 'k6', name: 'Postbacks', last4: 'new4' }];
      return json(newKey({ id: 'k6', kind: 'postback', name: 'Postbacks', key: 'pb_x' }), { status: 201 });
    }),
    http.get('/api/platform/partners', () => json([partner()])),
  );
  const { user } = renderApp('/dashboard');
  await user.click(await screen.findByRole('button', { name: 'Postback URL' }));
  await user.click(await screen.findByRole('button', { name: 'Create a token' }));
  expect(await screen.findByText(/token=pb_••••new4/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Copy postback URL' })).toBeEnabled();
});

test('the time zone of a website can be changed, and a website removed after asking', async () => {
  server.use(
    http.patch('/api/platform/websites/{id}', () => json(website({ timezone: 'Europe/Berlin' }))),
    http.delete('/api/platform/websites/{id}', () => {
      state.websites = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/account-settings?tab=websites');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Time zone of vpnreview.is' }), 'Europe/Berlin');
  expect(await screen.findByText('Time zone changed', { exact: true })).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('PATCH'))?.body).toEqual({ timezone: 'Europe/Berlin' });
  await user.click(screen.getByRole('button', { name: 'Remove vpnreview.is' }));
  await user.click(await screen.findByRole('button', { name: 'Remove website' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove vpnreview.is' })).not.toBeInTheDocument());
});

/** The form of the only website, and what its PATCH calls carried. */
async function claimLimits(over: Partial<Website> = {}) {
  state.websites = [website(over)];
  const app = renderApp('/account-settings?tab=websites');
  const form = within(await screen.findByRole('region', { name: 'Claim limits of vpnreview.is' }));
  const sent = () =>
    state.seen.filter((item) => item.line === 'PATCH /api/platform/websites/w1').map((item) => item.body);
  return {
    ...app,
    sent,
    form,
    amount: form.getByLabelText(/^Largest claimed sale/),
    perClick: form.getByLabelText('Claims per click and hour'),
    save: form.getByRole('button', { name: 'Save limits of vpnreview.is' }),
  };
}

/** Stores what a PATCH carries, as the API does. */
const savesWebsite = () =>
  server.use(
    http.patch('/api/platform/websites/{id}', async ({ request }) => {
      const input = (await request.json()) as Partial<Website>;
      state.websites = state.websites.map((item) => ({ ...item, ...input }));
      return json(website(state.websites[0]));
    }),
  );

test.each([
  ['USD', 500_000, '5000.00', '1250.5', 125_050],
  ['JPY', 500_000, '500000', '1250', 1250],
  ['KWD', 5_000_000, '5000.000', '1.005', 1005],
])(
  'claim limits in %s are shown in major units and saved in minor units',
  async (currency, stored, shown, typed, minor) => {
    savesWebsite();
    const { user, amount, perClick, save, sent, form } = await claimLimits({ currency, maxClaimAmount: stored });
    expect(form.getByLabelText(`Largest claimed sale (${currency})`)).toHaveValue(shown);
    expect(perClick).toHaveValue('5');
    expect(save).toBeDisabled();
    await user.clear(amount);
    await user.type(amount, typed);
    await user.click(save);
    expect(await screen.findByText('Claim limits saved', { exact: true })).toBeInTheDocument();
    expect(sent()).toEqual([{ maxClaimAmount: minor }]);
    await waitFor(() => expect(save).toBeDisabled());
    expect(Number((amount as HTMLInputElement).value)).toBe(Number(typed));
  },
);

test('claim limits outside the bounds of the API are not sent', async () => {
  const { user, amount, perClick, save, sent } = await claimLimits();
  for (const text of ['0', '1.005', '10000000000000.01', 'much']) {
    await user.clear(amount);
    await user.type(amount, text);
    await user.click(save);
    expect(amount).toHaveAccessibleDescription(
      /^Enter an amount from \$0\.01 to \$10,000,000,000,000\.00, with at most 2 decimals/,
    );
  }
  await waitFor(() => expect(amount).toHaveFocus());
  await user.clear(amount);
  await user.type(amount, '10000000000000.00');
  for (const text of ['0', '1001', '2.5']) {
    await user.clear(perClick);
    await user.type(perClick, text);
    await user.click(save);
    expect(perClick).toHaveAccessibleDescription(/^Enter a whole number from 1 to 1,000/);
  }
  expect(perClick).toBeInvalid();
  expect(sent()).toEqual([]);
});

test('claim limits that the API refuses stay in the form, with its reason', async () => {
  server.use(
    http.patch(
      '/api/platform/websites/{id}',
      () =>
        refuse(422, 'Refused', 'bad_claim_limit', [
          { field: 'maxClaimsPerClick', message: 'The limit is a number from 1 to 1,000.' },
        ]),
      { once: true },
    ),
    http.patch('/api/platform/websites/{id}', () => refuse(503, 'A service does not answer right now.'), {
      once: true,
    }),
  );
  const { user, perClick, save, form } = await claimLimits();
  await user.clear(perClick);
  await user.type(perClick, '7{Enter}');
  expect(await form.findByText('The limit is a number from 1 to 1,000.')).toBeInTheDocument();
  expect(perClick).toHaveValue('7');
  await waitFor(() => expect(perClick).toHaveFocus());
  await user.click(save);
  expect(await form.findByRole('alert')).toHaveTextContent(
    'Failed to save the limits: A service does not answer right now.',
  );
  expect(perClick).toHaveValue('7');
  expect(save).toBeEnabled();
});

test('what the script does with affiliate links is switched on, and a failure is shown', async () => {
  savesWebsite();
  state.websites = [website({ linkImpressionsEvery: 7 })];
  const { user } = renderApp('/account-settings?tab=websites');
  const form = within(await screen.findByRole('region', { name: 'Affiliate links of vpnreview.is' }));
  const ids = form.getByRole('checkbox', { name: 'Add the click ID' });
  const rate = form.getByRole('combobox', { name: 'Link impressions' });
  expect(rate).toHaveDisplayValue('1 in 7 page views');
  await user.click(ids);
  expect(await screen.findByText('Link settings saved', { exact: true })).toBeInTheDocument();
  await waitFor(() => expect(ids).toBeChecked());
  await waitFor(() => expect(rate).toBeEnabled());
  await user.selectOptions(rate, 'Off');
  await waitFor(() => expect(rate).toHaveDisplayValue('Off'));
  const sent = state.seen.filter((item) => item.line === 'PATCH /api/platform/websites/w1').map((item) => item.body);
  expect(sent).toEqual([{ linkClickIds: true }, { linkImpressionsEvery: 0 }]);
  server.use(http.patch('/api/platform/websites/{id}', () => refuse(503, 'A service does not answer right now.')));
  await waitFor(() => expect(ids).toBeEnabled());
  await user.click(ids);
  expect(await screen.findByText('Failed to save the link settings')).toBeInTheDocument();
  expect(ids).toBeChecked();
});

test('what the transaction IDs of a website are unique for is chosen and saved', async () => {
  savesWebsite();
  state.websites = [website({ txidScope: 'website' })];
  const { user } = renderApp('/account-settings?tab=websites');
  const form = within(await screen.findByRole('region', { name: 'Transaction IDs of vpnreview.is' }));
  const scope = form.getByRole('combobox', { name: 'Each ID is unique' });
  expect(scope).toHaveDisplayValue('For the whole website');
  await user.selectOptions(scope, 'For one click');
  expect(await screen.findByText('Transaction ID setting saved', { exact: true })).toBeInTheDocument();
  await waitFor(() => expect(scope).toHaveDisplayValue('For one click'));
  const sent = state.seen.filter((item) => item.line === 'PATCH /api/platform/websites/w1').map((item) => item.body);
  expect(sent).toEqual([{ txidScope: 'click' }]);
});

test('an address that names the ad click IDs of a website shows their settings', async () => {
  const shown: string[] = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    shown.push(this.id);
  });
  window.location.hash = '#ad-click-ids-w1';
  renderApp('/account-settings?tab=websites');
  expect(await screen.findByRole('region', { name: 'Ad click IDs of vpnreview.is' })).toBeVisible();
  expect(shown).toEqual(['ad-click-ids-w1']);
  window.location.hash = '';
});

test('whether ad click IDs are kept, for how long and of whom is chosen and saved', async () => {
  savesWebsite();
  state.websites = [website({ adClickIdDays: 45 })];
  const { user } = renderApp('/account-settings?tab=websites');
  const form = within(await screen.findByRole('region', { name: 'Ad click IDs of vpnreview.is' }));
  const keep = form.getByRole('checkbox', { name: 'Keep ad click IDs' });
  const consent = form.getByRole('checkbox', { name: 'Only with consent' });
  const days = form.getByRole('combobox', { name: 'Readable for' });
  expect(days).toHaveDisplayValue('45 days');
  await user.click(keep);
  expect(await screen.findByText('Ad click ID settings saved', { exact: true })).toBeInTheDocument();
  await waitFor(() => expect(keep).toBeChecked());
  await waitFor(() => expect(consent).toBeEnabled());
  await user.click(consent);
  await waitFor(() => expect(consent).toBeChecked());
  await waitFor(() => expect(days).toBeEnabled());
  await user.selectOptions(days, '30 days');
  await waitFor(() => expect(days).toHaveDisplayValue('30 days'));
  const sent = state.seen.filter((item) => item.line === 'PATCH /api/platform/websites/w1').map((item) => item.body);
  expect(sent).toEqual([{ keepAdClickIds: true }, { adClickIdsNeedConsent: true }, { adClickIdDays: 30 }]);
  server.use(http.patch('/api/platform/websites/{id}', () => refuse(503, 'A service does not answer right now.')));
  await waitFor(() => expect(keep).toBeEnabled());
  await user.click(keep);
  expect(await screen.findByText('Failed to save the ad click ID settings')).toBeInTheDocument();
  expect(keep).toBeChecked();
});

test('General shows who is signed in and keeps the theme and the key choice', async () => {
  const { user, router } = renderApp('/account-settings');
  expect(await screen.findByText('sigrun@example.com')).toBeInTheDocument();
  await user.click(screen.getByRole('radio', { name: 'Dark' }));
  expect(document.documentElement).toHaveClass('dark');
  await user.click(screen.getByRole('radio', { name: 'Light' }));
  await user.click(screen.getByRole('checkbox', { name: 'Single-key shortcuts' }));
  expect(localStorage.getItem('singleKeys')).toBe('off');
  await user.click(screen.getByRole('checkbox', { name: 'Single-key shortcuts' }));
  await user.click(screen.getByRole('tab', { name: 'Websites' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?tab=websites'));
});

type Retention = Ok<'/api/platform/websites/{id}/retention'>;
const KEPT_FOREVER: Retention = { rawMonths: null, appliesFrom: null, keptFrom: null, forecast: null };

/** The retention card; the API keeps what it is sent, and forecasts `events`. */
async function retention(stored: Retention = KEPT_FOREVER, events = 184_203, isHeldBack = false) {
  let setting = stored;
  server.use(
    http.get('/api/platform/websites/{id}/retention', ({ request }) => {
      const months = Number(new URL(request.url).searchParams.get('rawMonths') ?? 0);
      const forecast = months ? { rawMonths: months, keptFrom: '2026-05-01', events, isHeldBack } : null;
      return json({ ...setting, forecast });
    }),
    http.put('/api/platform/websites/{id}/retention', async ({ request }) => {
      const { rawMonths } = (await request.json()) as { rawMonths: number | null };
      setting = { ...KEPT_FOREVER, rawMonths, appliesFrom: rawMonths ? '2026-11-21T12:00:00Z' : null };
      return json({ rawMonths, retentionAppliesFrom: null });
    }),
  );
  state.websites = [website({})];
  const app = renderApp('/account-settings?tab=websites');
  const card = within(await screen.findByRole('region', { name: 'Retention of vpnreview.is' }));
  const choice = card.getByRole('combobox', { name: 'Keep individual events' });
  await waitFor(() => expect(choice).toBeEnabled());
  const sent = () => state.seen.filter((item) => item.line.startsWith('PUT ')).map((item) => item.body);
  return { ...app, card, choice, sent, save: card.getByRole('button', { name: 'Save retention of vpnreview.is' }) };
}

test('what a shorter retention deletes is said before it is saved, and again to confirm it', async () => {
  const { user, card, choice, sent, save } = await retention();
  expect(choice).toHaveDisplayValue('Forever');
  expect(save).toBeDisabled();
  await user.selectOptions(choice, '6 full months');
  expect(await card.findByText(/^184,203 individual events before May 1, 2026 will be deleted\./)).toBeInTheDocument();
  await user.click(save);
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete individual events of vpnreview.is?' }));
  expect(dialog.getByText(/184,203 individual events before May 1, 2026 .* 24 hours from now/)).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(sent()).toEqual([]);
  await user.click(save);
  await user.click(await screen.findByRole('button', { name: 'Save retention' }));
  expect(await screen.findByText('Nothing is deleted in the next 24 hours.')).toBeInTheDocument();
  expect(sent()).toEqual([{ rawMonths: 6 }]);
  expect(await card.findByText(/The setting applies from/)).toBeInTheDocument();
  await waitFor(() => expect(save).toBeDisabled());
});

test('keeping events forever again needs no confirmation', async () => {
  const { user, choice, sent, save } = await retention({ ...KEPT_FOREVER, rawMonths: 7, keptFrom: '2026-04-01' });
  expect(choice).toHaveDisplayValue('7 full months');
  expect(choice).toHaveAccessibleDescription('Individual events are available from Apr 1, 2026.');
  await user.selectOptions(choice, 'Forever');
  await user.click(save);
  expect(await screen.findByText('Individual events are stored forever.')).toBeInTheDocument();
  expect(sent()).toEqual([{ rawMonths: null }]);
});

test('it says when sales make events stay longer than chosen', async () => {
  const { user, card, choice } = await retention(KEPT_FOREVER, 0, true);
  await user.selectOptions(choice, '1 full month');
  expect(
    await card.findByText(/^No individual events are older.*Events are stored longer than you chose/),
  ).toBeInTheDocument();
});
