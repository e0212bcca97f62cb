import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { AlertRule, RaisedAlert, Webhook } from '../api/alerts';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const sent = (line: string) => state.seen.findLast((item) => item.line.startsWith(line))?.body;
const nothing = () => noContent();

const rule = (over: Partial<AlertRule> = {}): AlertRule => ({
  id: null,
  websiteId: 'w1',
  kind: 'no_events',
  title: 'No page views or clicks arrive',
  enabled: true,
  threshold: { value: 6, unit: 'hours', default: 6, least: 1, most: 168 },
  minimum: null,
  ...over,
});
const raised = (over: Partial<RaisedAlert> = {}): RaisedAlert => ({
  id: 'a1',
  websiteId: 'w1',
  domain: 'fjordline.example',
  kind: 'postbacks_rejected',
  title: '12 postbacks of Awin rejected since 14:00 (unknown_partner)',
  text: '12 postbacks of Awin did not become conversions.',
  path: '/conversions?website=w1&status=pending',
  openedAt: '2026-11-20T11:00:00Z',
  resolvedAt: null,
  ...over,
});
const webhook = (over: Partial<Webhook> = {}): Webhook => ({
  id: 'h1',
  url: 'https://hooks.example.com/T0/B0',
  format: 'standard',
  websiteIds: [],
  kinds: [],
  resolved: false,
  active: true,
  switchedOff: '',
  addedAt: '2026-11-20T11:00:00Z',
  ...over,
});

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/platform/alerts', () => json([rule()])),
    http.get('/api/platform/alert-delivery', () =>
      json({
        mail: true,
        mailResolved: false,
        quietFrom: null,
        quietUntil: null,
        timezone: 'Europe/Oslo',
      }),
    ),
    http.get('/api/platform/webhooks', () => json([webhook()])),
  );
});

test('open alerts lead to their causes, on the notifications page and on the dashboard of their website', async () => {
  server.use(
    http.get('/api/platform/notifications', () => json([])),
    http.get('/api/platform/alerts/raised', () => json([raised()])),
  );
  const { router } = renderApp('/notifications');
  const alerts = within(await screen.findByRole('region', { name: 'Open alerts' }));
  expect(alerts.getByRole('link', { name: /^fjordline.example: 12 postbacks of Awin/ })).toHaveAttribute(
    'href',
    '/conversions?website=w1&status=pending',
  );
  await router.navigate({ to: '/dashboard' });
  expect(await screen.findByRole('link', { name: /^12 postbacks of Awin rejected since 14:00/ })).toBeInTheDocument();
});

test('without an open alert there is no banner', async () => {
  renderApp('/dashboard');
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeInTheDocument();
  await vi.waitFor(() => expect(requests('GET /api/platform/alerts/raised')).not.toHaveLength(0));
  expect(screen.queryByRole('region', { name: 'Open alerts' })).not.toBeInTheDocument();
});

test('an alert is turned off, its threshold is changed, and a refused number is explained', async () => {
  let current = rule();
  server.use(
    http.get('/api/platform/alerts', () => json([current])),
    http.post('/api/platform/alerts', () => {
      current = rule({ id: 'r1', threshold: { value: 12, unit: 'hours', default: 6, least: 1, most: 168 } });
      return json(current, { status: 201 });
    }),
    http.delete('/api/platform/alerts/{id}', nothing),
  );
  const { user } = renderApp('/account-settings?tab=alerts');
  const hours = await screen.findByLabelText('No page views or clicks arrive: hours');
  await user.clear(hours);
  await user.type(hours, '12{Enter}');
  expect(await screen.findByText('Alert saved')).toBeInTheDocument();
  expect(sent('POST /api/platform/alerts')).toMatchObject({ kind: 'no_events', enabled: true, threshold: 12 });
  await user.click(await screen.findByRole('button', { name: 'Reset: No page views or clicks arrive' }));
  await vi.waitFor(() => expect(requests('DELETE /api/platform/alerts/r1')).toHaveLength(1));
  server.use(
    http.post('/api/platform/alerts', () =>
      refuse(400, 'Enter 1 to 168 hours.', 'bad_threshold', [{ field: 'threshold', message: 'Enter 1 to 168 hours.' }]),
    ),
  );
  await user.click(screen.getByRole('checkbox', { name: 'No page views or clicks arrive' }));
  expect((await screen.findByText('Enter 1 to 168 hours.')).closest('[role=alert]')).toBeInTheDocument();
});

test('quiet hours and emails are saved together', async () => {
  server.use(
    http.put('/api/platform/alert-delivery', () =>
      json({ mail: true, mailResolved: true, quietFrom: '22:00', quietUntil: '06:30' }),
    ),
  );
  const { user } = renderApp('/account-settings?tab=alerts');
  await user.click(await screen.findByRole('checkbox', { name: 'Quiet hours (Europe/Oslo)' }));
  await user.click(screen.getByRole('checkbox', { name: 'Email me when an alert is resolved' }));
  const until = screen.getByLabelText('Until');
  await user.clear(until);
  await user.type(until, '06:30');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(sent('PUT /api/platform/alert-delivery')).toEqual({
      mail: true,
      mailResolved: true,
      quietFrom: '22:00',
      quietUntil: '06:30',
    }),
  );
});

test('a webhook is added, and its secret is shown once', async () => {
  server.use(http.post('/api/platform/webhooks', () => json({ ...webhook(), secret: 'whsec_abc' }, { status: 201 })));
  const { user } = renderApp('/account-settings?tab=alerts');
  await user.click(await screen.findByRole('button', { name: 'Add webhook' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add webhook' }));
  await user.type(dialog.getByLabelText('URL'), 'https://hooks.example.com/T0/B0');
  await user.click(dialog.getByRole('checkbox', { name: 'All alerts' }));
  await user.click(dialog.getByRole('checkbox', { name: 'Postbacks are rejected' }));
  await user.click(dialog.getByRole('button', { name: 'Add webhook' }));
  const secret = within(await screen.findByRole('dialog', { name: "Your webhook's secret" }));
  expect(secret.getByText('whsec_abc')).toBeInTheDocument();
  expect(sent('POST /api/platform/webhooks')).toEqual({
    url: 'https://hooks.example.com/T0/B0',
    format: 'standard',
    websiteIds: [],
    kinds: ['postbacks_rejected'],
    resolved: false,
  });
  await user.click(secret.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('whsec_abc')).not.toBeInTheDocument();
});

test('an address that is refused is explained at its field', async () => {
  server.use(
    http.post('/api/platform/webhooks', () =>
      refuse(400, 'Enter a public https:// address.', 'bad_url', [
        { field: 'url', message: 'Enter a public https:// address.' },
      ]),
    ),
  );
  const { user } = renderApp('/account-settings?tab=alerts');
  await user.click(await screen.findByRole('button', { name: 'Add webhook' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add webhook' }));
  await user.type(dialog.getByLabelText('URL'), 'http://localhost');
  await user.click(dialog.getByRole('button', { name: 'Add webhook' }));
  expect(await dialog.findByText('Enter a public https:// address.')).toBeInTheDocument();
});

test('a test message shows its outcome; a webhook that was switched off says why and is turned on', async () => {
  server.use(
    http.post('/api/platform/webhooks/{id}/test', () => json({ deliveryId: 'd1' }, { status: 202 })),
    http.get('/api/platform/webhooks/{id}/deliveries', () =>
      json([
        {
          id: 'd1',
          type: 'webhook.test',
          state: 'waiting',
          attempts: 1,
          status: 500,
          error: 'The address responded with status 500.',
          createdAt: '2026-11-20T11:00:00Z',
          attemptedAt: '2026-11-20T11:00:01Z',
          nextAttemptAt: '2026-11-20T11:01:01Z',
        },
      ]),
    ),
    http.patch('/api/platform/webhooks/{id}', () => json(webhook())),
    http.get('/api/platform/webhooks', () =>
      json([webhook(), webhook({ id: 'h2', url: 'https://gone.example/x', active: false, switchedOff: 'gone' })]),
    ),
  );
  const { user } = renderApp('/account-settings?tab=alerts');
  await user.click(await screen.findByRole('button', { name: 'Send test to hooks.example.com' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Deliveries to hooks.example.com' }));
  expect((await dialog.findAllByText('The address responded with status 500.')).length).toBeGreaterThan(0);
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  expect(screen.getByText('Switched off: the address is gone (410).')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Turn on gone.example' }));
  await vi.waitFor(() => expect(sent('PATCH /api/platform/webhooks/h2')).toEqual({ active: true }));
});

test('a webhook is deleted only after a confirmation', async () => {
  server.use(http.delete('/api/platform/webhooks/{id}', nothing));
  const { user } = renderApp('/account-settings?tab=alerts');
  await user.click(await screen.findByRole('button', { name: 'Delete hooks.example.com' }));
  expect(requests('DELETE')).toHaveLength(0);
  await user.click(await screen.findByRole('button', { name: 'Delete webhook' }));
  await vi.waitFor(() => expect(requests('DELETE /api/platform/webhooks/h1')).toHaveLength(1));
});
