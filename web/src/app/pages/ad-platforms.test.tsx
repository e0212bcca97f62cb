import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { ConversionDelivery, Destination } from '@/features/destinations/api/destinations';
import { addDays, todayIn } from '@/lib/dates';
import { delivery, destination } from '@/test/destinations';
import { website } from '@/test/fixtures';
import { http, json, noContent, refuse } from '@/test/http';
import { renderApp, signIn } from '@/test/render';
import { server, state } from '@/test/server';

const PATH = '/conversions/ad-platforms';
const DESTINATIONS = '/api/platform/destinations';
let held: Destination[];
let log: ConversionDelivery[];

const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);
const rowsOf = async (name: string) =>
  within(await screen.findByRole('table', { name }))
    .getAllByRole('row')
    .slice(1);
const dialogOf = async (name: string) => within(await screen.findByRole('dialog', { name }));

beforeEach(() => {
  signIn();
  state.websites = [website({ keepAdClickIds: true })];
  held = [destination()];
  log = [delivery()];
  server.use(
    http.get(DESTINATIONS, () => json(held)),
    http.get(`${DESTINATIONS}/{id}/deliveries`, ({ request }) => {
      const wanted = new URL(request.url).searchParams.get('state');
      return json(log.filter((row) => !wanted || row.state === wanted));
    }),
  );
});

test('each platform says how conversions are sent, what they are called there, and why it refuses them', async () => {
  held = [
    destination(),
    destination({
      ...{ id: 'ad2', platform: 'meta', isAutomatic: true, isRefused: true },
      mapping: { sale: 'Purchase', lead: 'Lead', value: 'sale' },
      problem: 'Meta does not accept these credentials. Enter new ones.',
    }),
  ];
  renderApp(PATH);
  expect((await rowsOf('Ad platforms table')).map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^Google AdsActiveFile uploadAffiliate saleNot sentCommissionNov 1/),
    expect.stringMatching(
      /^MetaCredentials rejectedMeta does not accept these credentials\. Enter new ones\.APIPurchaseLeadSale amountNov 1/,
    ),
  ]);
  expect(screen.queryByRole('region', { name: 'Ad click IDs are off' })).not.toBeInTheDocument();
});

test('a website that keeps no ad click ids says so, with the way to the setting', async () => {
  state.websites = [website({ keepAdClickIds: false })];
  renderApp(PATH);
  const notice = within(await screen.findByRole('region', { name: 'Ad click IDs are off' }));
  expect(notice.getByText(/^vpnreview\.is does not keep ad click IDs\./)).toBeVisible();
  expect(notice.getByRole('link')).toHaveAttribute('href', '/account-settings?tab=websites#ad-click-ids-w1');
});

test('Google Ads is added by files: no credentials, the names of sales and leads, the value', async () => {
  held = [];
  server.use(
    http.post(DESTINATIONS, () => {
      held = [destination()];
      return json(destination(), { status: 201 });
    }),
  );
  const { user } = renderApp(PATH);
  expect(await screen.findByText('No ad platform yet. Nothing is sent until you add one.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Add an ad platform' }));
  const dialog = await dialogOf('Add an ad platform');
  expect(dialog.queryByLabelText('Customer ID')).not.toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Add' }));
  expect(dialog.getByLabelText('Name of sales')).toHaveAccessibleDescription(
    /^Please enter the name of sales or of leads/,
  );
  expect(sent(`POST ${DESTINATIONS}`)).toEqual([]);
  await user.type(dialog.getByLabelText('Name of sales'), ' Affiliate sale ');
  await user.selectOptions(dialog.getByLabelText('Value'), 'Amount of the sale');
  await user.click(dialog.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('Google Ads added')).toBeInTheDocument();
  expect(await rowsOf('Ad platforms table')).toHaveLength(1);
  expect(sent(`POST ${DESTINATIONS}`)).toEqual([
    {
      ...{ websiteId: 'w1', platform: 'google_ads', credentials: {} },
      mapping: { sale: 'Affiliate sale', lead: '', value: 'sale' },
    },
  ]);
});

test('its API needs all credentials, secrets hidden, and the number of the conversion action as the name', async () => {
  server.use(http.post(DESTINATIONS, () => json(destination({ isAutomatic: true }), { status: 201 })));
  const { user } = renderApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Add an ad platform' }));
  const dialog = await dialogOf('Add an ad platform');
  await user.selectOptions(dialog.getByLabelText('Sent by'), 'The API of Google Ads, automatically');
  await user.type(dialog.getByLabelText('Name of sales'), 'Affiliate sale');
  await user.click(dialog.getByRole('button', { name: 'Add' }));
  expect(dialog.getByLabelText('Refresh token')).toHaveAccessibleDescription(/^Please enter the Refresh token/);
  expect(dialog.getByLabelText('Refresh token')).toHaveAttribute('type', 'password');
  expect(dialog.getByLabelText('Client ID')).not.toHaveAttribute('type', 'password');
  expect(dialog.getByLabelText('Name of sales')).toHaveAccessibleDescription(
    /^Please enter the number of the conversion action/,
  );
  const entered = {
    ...{ 'Customer ID': '1234567890', 'Developer token': 'a-developer', 'Client ID': 'a-client' },
    ...{ 'Client secret': 'a-secret', 'Refresh token': 'a-refresh', 'Name of sales': '4711' },
  };
  for (const [label, value] of Object.entries(entered))
    fireEvent.change(dialog.getByLabelText(label), { target: { value } });
  await user.click(dialog.getByRole('button', { name: 'Add' }));
  await waitFor(() =>
    expect(sent(`POST ${DESTINATIONS}`)).toEqual([
      {
        ...{ websiteId: 'w1', platform: 'google_ads' },
        credentials: {
          ...{ customerId: '1234567890', developerToken: 'a-developer', clientId: 'a-client' },
          ...{ clientSecret: 'a-secret', refreshToken: 'a-refresh' },
        },
        mapping: { sale: '4711', lead: '', value: 'commission' },
      },
    ]),
  );
});

test('Meta has no files, and what its credentials lack is said in the dialog', async () => {
  server.use(
    http.post(DESTINATIONS, () =>
      refuse(422, 'This is no pixelId of Meta.', 'bad_credentials', [
        { field: 'credentials', message: 'This is no pixelId of Meta.' },
      ]),
    ),
  );
  const { user } = renderApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Add an ad platform' }));
  const dialog = await dialogOf('Add an ad platform');
  await user.selectOptions(dialog.getByLabelText('Platform'), 'Meta');
  expect(dialog.queryByLabelText('Sent by')).not.toBeInTheDocument();
  await user.type(dialog.getByLabelText('Pixel ID'), 'my pixel');
  await user.type(dialog.getByLabelText('Access token'), 'a-token');
  await user.type(dialog.getByLabelText('Name of leads'), 'Lead');
  await user.click(dialog.getByRole('button', { name: 'Add' }));
  expect(await dialog.findByRole('alert')).toHaveTextContent('This is no pixelId of Meta.');
  expect(sent(`POST ${DESTINATIONS}`)).toEqual([
    {
      ...{ websiteId: 'w1', platform: 'meta', credentials: { pixelId: 'my pixel', accessToken: 'a-token' } },
      mapping: { sale: '', lead: 'Lead', value: 'commission' },
    },
  ]);
});

test('names change alone; credentials change only as a whole, and rejected ones have to', async () => {
  held = [destination({ platform: 'tiktok', isAutomatic: true })];
  server.use(http.patch(`${DESTINATIONS}/{id}`, () => json(destination({ platform: 'tiktok' }))));
  const { user } = renderApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Change TikTok' }));
  let dialog = await dialogOf('Change TikTok');
  fireEvent.change(dialog.getByLabelText('Name of leads'), { target: { value: 'SubmitForm' } });
  held = [destination({ platform: 'tiktok', isAutomatic: true, isRefused: true })];
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Credentials rejected')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Change TikTok' }));
  dialog = await dialogOf('Change TikTok');
  expect(dialog.getByText(/^TikTok does not accept the stored credentials\./)).toBeVisible();
  await user.type(dialog.getByLabelText('Access token'), 'new-token');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByLabelText('Pixel code')).toHaveAccessibleDescription('Please enter the Pixel code');
  await user.type(dialog.getByLabelText('Pixel code'), 'C4ABCDEFGH');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent(`PATCH ${DESTINATIONS}/ad1`)).toEqual([
      { mapping: { sale: 'Affiliate sale', lead: 'SubmitForm', value: 'commission' }, credentials: null },
      {
        mapping: { sale: 'Affiliate sale', lead: '', value: 'commission' },
        credentials: { pixelCode: 'C4ABCDEFGH', accessToken: 'new-token' },
      },
    ]),
  );
});

test('a platform is removed after a question', async () => {
  server.use(
    http.delete(`${DESTINATIONS}/{id}`, () => {
      held = [];
      return noContent();
    }),
  );
  const { user } = renderApp(PATH);
  await user.click(await screen.findByRole('button', { name: 'Remove Google Ads' }));
  const dialog = await dialogOf('Remove Google Ads?');
  expect(dialog.getByText(/Its credentials and the log of its deliveries are deleted\./)).toBeVisible();
  expect(sent(`DELETE ${DESTINATIONS}/ad1`)).toHaveLength(0);
  await user.click(dialog.getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('Google Ads removed')).toBeInTheDocument();
  expect(await screen.findByText(/^No ad platform yet\./)).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Deliveries to Google Ads' })).not.toBeInTheDocument();
});

test('the log says what was sent, what came of it and why not, leads to the conversion, and is filtered', async () => {
  log = [
    delivery({
      id: 'dl3',
      conversionId: 'c3',
      state: 'in_file',
      kind: 'retraction',
      value: { amount: 0, currency: 'USD' },
    }),
    delivery({
      ...{ id: 'dl2', conversionId: 'c2', state: 'skipped', kind: null, name: null, value: null, preparedAt: null },
      ...{ reason: 'click_too_old', answer: 'The click is older than the 90 days that Google Ads accepts.' },
    }),
    delivery({ state: 'sent', attempts: 1, attemptedAt: '2026-11-20T09:32:00Z' }),
  ];
  const { user } = renderApp(PATH);
  const rows = await rowsOf('Deliveries table');
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/RetractionAffiliate sale\$0\.00In fileFile of Nov 20, 2026$/),
    expect.stringMatching(/–––Not sentThe click is older than the 90 days that Google Ads accepts\.$/),
    expect.stringMatching(/ConversionAffiliate sale\$12\.50SentNov 20, (2026, )?09:32$/),
  ]);
  expect(within(rows[1] as HTMLElement).getByRole('link')).toHaveAttribute('href', '/conversions?website=w1&open=c2');
  await user.selectOptions(screen.getByLabelText('Status of deliveries'), 'Not sent');
  await waitFor(async () => expect(await rowsOf('Deliveries table')).toHaveLength(1));
  await user.selectOptions(screen.getByLabelText('Status of deliveries'), 'Failed');
  expect(await screen.findByText('No deliveries with this status.')).toBeVisible();
});

test('what is queued is shown as sent without a reload', async () => {
  held = [destination({ isAutomatic: true })];
  log = [delivery({ state: 'new' })];
  renderApp(PATH);
  expect(await screen.findByText('Queued', { selector: 'td *' })).toBeVisible();
  log = [delivery({ state: 'sent', attempts: 1, attemptedAt: '2026-11-20T09:32:00Z' })];
  expect(await screen.findByText('Sent', { selector: 'td *' }, { timeout: 5000 })).toBeVisible();
});

test('the files of Google Ads and Microsoft are downloaded by days of the website', async () => {
  renderApp(PATH);
  const files = within(await screen.findByRole('region', { name: 'Files for Google Ads' }));
  const today = todayIn('Atlantic/Reykjavik');
  const href = (kind: string) =>
    files.getByRole('link', { name: `Download ${kind} for Google Ads` }).getAttribute('href');
  expect(href('conversions')).toBe(`${DESTINATIONS}/ad1/file?from=${addDays(today, -6)}&to=${today}&kind=conversions`);
  fireEvent.change(files.getByLabelText('First day'), { target: { value: '2026-11-07' } });
  fireEvent.change(files.getByLabelText('Last day'), { target: { value: '2026-11-01' } });
  expect(href('corrections')).toBe(`${DESTINATIONS}/ad1/file?from=2026-11-01&to=2026-11-07&kind=corrections`);
});

test('the platform that is selected has its own log, and Meta no files', async () => {
  held = [destination(), destination({ id: 'ad2', platform: 'meta', isAutomatic: true })];
  const { user, router } = renderApp(PATH);
  expect(await screen.findByRole('region', { name: 'Deliveries to Google Ads' })).toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Meta' }));
  expect(await screen.findByRole('region', { name: 'Deliveries to Meta' })).toBeInTheDocument();
  expect(router.state.location.href).toBe(`${PATH}?website=w1&destination=ad2`);
  expect(screen.queryByRole('region', { name: /^Files for/ })).not.toBeInTheDocument();
  await waitFor(() => expect(sent(`GET ${DESTINATIONS}/ad2/deliveries?limit=50`)).toHaveLength(1));
});
