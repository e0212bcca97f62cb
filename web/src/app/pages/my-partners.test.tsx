import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { adminPartner, partner, partnerRequest } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const OWN = partner({ id: 'p9', name: 'Fjord Outdoor', isPrivate: true, clickIdParameter: 'clickref' });
const seen = (line: string) => state.seen.findLast((item) => item.line === line)?.body;

beforeEach(() => {
  signIn();
  state.partners = [partner(), OWN];
});

test('partners of one’s own are listed, deactivated, edited and removed', async () => {
  server.use(
    http.patch('/api/platform/partners/{id}', () => json(OWN)),
    http.delete('/api/platform/partners/{id}', () => noContent()),
  );
  const { user } = renderApp('/links/partners');
  const table = await screen.findByRole('region', { name: 'List of my partners' });
  expect(within(table).getAllByRole('row')).toHaveLength(2);
  expect(table).toHaveTextContent(/Fjord Outdoor.*12\.5% of the sale.*Click ID as clickref.*Active/);
  await user.click(within(table).getByRole('button', { name: 'Deactivate Fjord Outdoor' }));
  await waitFor(() => expect(seen('PATCH /api/platform/partners/p9')).toEqual({ isActive: false }));
  await user.click(within(table).getByRole('button', { name: 'Edit Fjord Outdoor' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit Fjord Outdoor' });
  await user.clear(within(dialog).getByLabelText('Base URL'));
  await user.type(within(dialog).getByLabelText('Base URL'), 'fjord.example');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(seen('PATCH /api/platform/partners/p9')).toEqual({ baseUrl: 'https://fjord.example' }));
  await user.click(within(table).getByRole('button', { name: 'Remove Fjord Outdoor' }));
  await user.click(await screen.findByRole('button', { name: 'Remove partner' }));
  await waitFor(() => expect(requests('DELETE')).toEqual(['DELETE /api/platform/partners/p9']));
});

test('the postback URL of a private partner is at hand', async () => {
  const { user } = renderApp('/links/partners');
  await user.click(await screen.findByRole('button', { name: 'Postback URL of Fjord Outdoor' }));
  const dialog = await screen.findByRole('dialog', { name: 'Postback URL' });
  expect(await within(dialog).findByLabelText('Partner')).toHaveDisplayValue('Fjord Outdoor');
  expect(await within(dialog).findByRole('button', { name: 'Send a test conversion' })).toBeInTheDocument();
  expect(requests('GET /api/platform/links?')).toContainEqual(expect.stringContaining('partnerId=p9'));
});

test('a private partner is proposed for the directory in one click, and once', async () => {
  server.use(
    http.post('/api/platform/partner-requests', () => {
      state.partnerRequests = [partnerRequest({ proposedId: 'p9' })];
      return json({ id: 'r1', partnerId: null, partnerName: null });
    }),
  );
  const { user } = renderApp('/links/partners');
  await user.click(await screen.findByRole('button', { name: 'Propose Fjord Outdoor for the directory' }));
  expect(await screen.findByText('Request sent')).toBeInTheDocument();
  expect(seen('POST /api/platform/partner-requests')).toMatchObject({ name: 'Fjord Outdoor', partnerId: 'p9' });
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Propose/ })).not.toBeInTheDocument());
  expect(await screen.findByRole('region', { name: 'List of requested partners' })).toHaveTextContent('Pending');
});

test('a request for what the directory has is answered with it, and a declined one says why', async () => {
  state.partnerRequests = [partnerRequest({ state: 'declined', reason: 'The program has closed.' })];
  server.use(
    http.post('/api/platform/partner-requests', () => json({ id: null, partnerId: 'p1', partnerName: 'NordVPN' })),
  );
  const { user } = renderApp('/links/partners');
  expect(await screen.findByRole('region', { name: 'List of requested partners' })).toHaveTextContent(
    'DeclinedThe program has closed.',
  );
  await user.click(screen.getByRole('button', { name: 'Request a partner' }));
  const dialog = await screen.findByRole('dialog', { name: 'Request a partner' });
  await user.type(within(dialog).getByLabelText('Name'), 'NordVPN');
  await user.type(within(dialog).getByLabelText('Website'), 'nordvpn.com{Enter}');
  expect(await screen.findByText('Already in the directory')).toBeInTheDocument();
  expect(seen('POST /api/platform/partner-requests')).toMatchObject({ website: 'https://nordvpn.com' });
});

test('an admin accepts a request with a filled form, or declines it with a reason', async () => {
  state.adminPartnerRequests = [partnerRequest(), partnerRequest({ id: 'r2', name: 'Wool' })];
  const decided: string[] = [];
  server.use(
    http.post('/api/admin/partner-requests/{id}/accept', async ({ request }) => {
      decided.push(JSON.stringify(await request.json()));
      return decided.length === 1
        ? refuse(409, 'The slug is taken.', 'slug_taken', [{ field: 'slug', message: 'The slug is taken.' }])
        : json(partner(), { status: 201 });
    }),
    http.post('/api/admin/partner-requests/{id}/decline', () => noContent()),
  );
  const { user } = renderApp('/admin?tab=partners');
  expect(await screen.findByRole('heading', { name: 'Requests (2)' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Accept Fjord Outdoor' }));
  const form = await screen.findByRole('dialog', { name: 'Add Fjord Outdoor' });
  expect(within(form).getByLabelText('Base URL')).toHaveValue('https://fjord-outdoor.example/');
  await user.type(within(form).getByLabelText('Commission (%)'), '8{Enter}');
  expect((await screen.findAllByText('The slug is taken.')).length).toBe(1);
  await user.type(within(form).getByLabelText('Name'), ' 2{Enter}');
  await waitFor(() => expect(form).not.toBeInTheDocument());
  expect(decided.at(-1)).toContain('"name":"Fjord Outdoor 2"');
  await user.click(screen.getByRole('button', { name: 'Decline Wool' }));
  const reason = await screen.findByRole('dialog', { name: 'Decline Wool?' });
  await user.click(within(reason).getByRole('button', { name: 'Decline' }));
  expect(within(reason).getByLabelText('Reason')).toHaveAccessibleDescription('Enter a reason');
  await user.type(within(reason).getByLabelText('Reason'), 'It has closed.');
  await user.click(within(reason).getByRole('button', { name: 'Decline' }));
  await waitFor(() =>
    expect(seen('POST /api/admin/partner-requests/r2/decline')).toEqual({ reason: 'It has closed.' }),
  );
});

test('an admin sees whose private partner it is', async () => {
  state.adminPartners = [adminPartner(), adminPartner({ id: 'p9', name: 'Own', ownerId: 'u2', ownerName: 'Njáll' })];
  const { user } = renderApp('/admin?tab=partners');
  const table = await screen.findByRole('region', { name: 'List of partners' });
  await user.selectOptions(screen.getByLabelText('Show'), 'Private');
  expect(within(table).getAllByRole('row')).toHaveLength(2);
  expect(table).toHaveTextContent('Private: Njáll');
});
