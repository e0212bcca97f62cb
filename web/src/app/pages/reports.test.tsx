import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { EmailReport } from '@/features/analytics/api/reports';
import { savedQuery, savedView } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { server } from '@/test/server';

const report = (changes: Partial<EmailReport> = {}): EmailReport => ({
  id: 'r1',
  websiteId: 'w1',
  domain: 'shop.example',
  viewId: 'v1',
  queryId: null,
  name: 'Germany',
  every: 'weekly',
  weekday: 0,
  day: 1,
  hour: 8,
  parameters: {},
  timezone: 'Europe/Berlin',
  paused: null,
  nextAt: '2026-11-30T07:00:00Z',
  sentAt: '2026-11-23T07:00:00Z',
  failedAt: null,
  failure: null,
  ...changes,
});

let reports: EmailReport[];
let sent: { readonly call: string; readonly body?: unknown }[];

beforeEach(() => {
  signIn();
  reports = [];
  sent = [];
  const noted = async (request: Request) => {
    const text = await request.clone().text();
    const call = `${request.method} ${new URL(request.url).pathname}`;
    sent.push({ call, ...(text ? { body: JSON.parse(text) as unknown } : {}) });
  };
  server.use(
    http.get('/api/platform/reports', () => json(reports)),
    http.post('/api/platform/reports', async ({ request }) => {
      await noted(request);
      return json(report({ id: 'r9' }), { status: 201 });
    }),
    http.patch('/api/platform/reports/{id}', async ({ request }) => {
      await noted(request);
      return json(report());
    }),
    http.delete('/api/platform/reports/{id}', async ({ request }) => {
      await noted(request);
      reports = [];
      return noContent();
    }),
    http.post('/api/platform/reports/{id}/restore', async ({ request }) => {
      await noted(request);
      reports = [report()];
      return json(report());
    }),
    http.post('/api/platform/reports/{id}/preview', async ({ request }) => {
      await noted(request);
      return noContent();
    }),
  );
});

test('each report says when it comes, and why one does not', async () => {
  reports = [
    report(),
    report({ id: 'r2', name: null, paused: 'website', nextAt: null, sentAt: null, domain: null }),
    report({
      id: 'r3',
      viewId: null,
      websiteId: null,
      domain: null,
      queryId: 'q1',
      name: 'Sales',
      every: 'monthly',
      day: 3,
      timezone: 'UTC',
      failedAt: '2026-11-03T08:00:00Z',
      failure: 'The statement took longer than 30 seconds.',
    }),
  ];
  renderApp('/account-settings?tab=reports');
  const list = within(await screen.findByRole('list', { name: 'Email reports' }));
  expect(list.getByText('Germany, shop.example')).toBeInTheDocument();
  expect(list.getAllByText('Every Monday at 08:00 (Europe/Berlin)')).toHaveLength(2);
  expect(list.getByText('Last sent Nov 23, 08:00. Next: Nov 30, 08:00.')).toBeInTheDocument();
  expect(list.getByText('You no longer have access to this website. Not sent yet.')).toBeInTheDocument();
  expect(list.getByText('Sales (SQL)')).toBeInTheDocument();
  expect(list.getByText('Day 3 of each month at 08:00 (UTC)')).toBeInTheDocument();
  expect(list.getByText(/Not sent Nov 3, 08:00: The statement took longer/)).toBeInTheDocument();
});

test('a report is previewed, changed, paused, deleted and restored', async () => {
  reports = [report()];
  const { user } = renderApp('/account-settings?tab=reports');
  await user.click(await screen.findByRole('button', { name: 'Send now: Germany, shop.example' }));
  expect(await screen.findByText('Preview sent')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Edit Germany, shop.example' }));
  const form = within(await screen.findByRole('dialog', { name: 'Edit report' }));
  await user.selectOptions(form.getByLabelText('How often'), 'Monthly');
  await user.selectOptions(form.getByLabelText('Day of the month'), '2');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Pause Germany, shop.example' }));
  expect(await screen.findByText('Report paused')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Delete Germany, shop.example' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('list', { name: 'Email reports' })).toBeInTheDocument();
  expect(sent).toEqual([
    { call: 'POST /api/platform/reports/r1/preview' },
    { call: 'PATCH /api/platform/reports/r1', body: { every: 'monthly', weekday: 0, day: 2, hour: 8 } },
    { call: 'PATCH /api/platform/reports/r1', body: { paused: true } },
    { call: 'DELETE /api/platform/reports/r1' },
    { call: 'POST /api/platform/reports/r1/restore' },
  ]);
});

test('what the analytics page shows is saved and emailed', async () => {
  server.use(
    http.get('/api/platform/views', () => json([])),
    http.post('/api/platform/views', () => json(savedView({ id: 'v9' }), { status: 201 })),
  );
  const { user } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Views' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Saved views' }));
  await user.click(await panel.findByRole('button', { name: 'Email this view' }));
  await user.type(panel.getByLabelText('Name of the view'), 'Weekly');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  expect(await panel.findByText('Email Weekly')).toBeInTheDocument();
  await user.selectOptions(await panel.findByLabelText('Weekday'), 'Friday');
  await user.selectOptions(panel.getByLabelText('Time'), '06:00');
  await user.click(panel.getByRole('button', { name: 'Schedule email' }));
  await user.click(await screen.findByRole('button', { name: 'Send preview' }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent).toEqual([
    {
      call: 'POST /api/platform/reports',
      body: {
        viewId: 'v9',
        websiteId: expect.any(String) as string,
        every: 'weekly',
        weekday: 4,
        day: 1,
        hour: 6,
        parameters: {},
      },
    },
    { call: 'POST /api/platform/reports/r9/preview' },
  ]);
});

test('the address of a saved query opens its form, with fields for its parameters', async () => {
  const sql = 'SELECT count() FROM events WHERE timestamp > now() - toIntervalDay({days:UInt16})';
  server.use(http.get('/api/platform/sql/queries/{id}', () => json(savedQuery({ id: 'q7', title: 'Clicks', sql }))));
  const { user, router } = renderApp('/account-settings?tab=reports&query=q7');
  const form = within(await screen.findByRole('dialog', { name: 'Email this query' }));
  await user.type(await form.findByLabelText('days'), '30');
  await user.click(form.getByRole('button', { name: 'Schedule email' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ tab: 'reports' }));
  const schedule = { every: 'weekly', weekday: 0, day: 1, hour: 8 };
  expect(sent).toEqual([
    { call: 'POST /api/platform/reports', body: { queryId: 'q7', ...schedule, parameters: { days: '30' } } },
  ]);
});

test('the link in an email pauses the report, after a confirmation', async () => {
  server.use(
    http.post('/api/public/reports/unsubscribe', async ({ request }) => {
      sent.push({ call: 'unsubscribe', body: await request.json() });
      return json({ ok: true, message: 'This report is paused.' });
    }),
  );
  const { user, router } = renderApp('/reports/unsubscribe#code=abc');
  await user.click(await screen.findByRole('button', { name: 'Pause this report' }));
  expect(await screen.findByText('This report is paused.')).toBeInTheDocument();
  expect(router.state.location.hash).toBe('');
  expect(sent).toEqual([{ call: 'unsubscribe', body: { code: 'abc' } }]);
});
