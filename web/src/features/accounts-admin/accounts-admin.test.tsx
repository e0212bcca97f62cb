import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type { AdminAccount } from '@/lib/api/types';
import { auditEntry } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { at, refuse, requests, server, state } from '@/test/server';

const account = (over: Partial<AdminAccount> = {}): AdminAccount => ({
  id: 'a1', email: 'nina@example.com', name: 'Nína', roles: ['member'], createdAt: '2026-11-01T00:00:00Z', disabledAt: null, erasedAt: null, twoFactor: true, sessions: 2,
  lastSeenAt: '2026-11-20T12:00:00Z', websites: 1, ...over,
});
const admined = HttpResponse.json({ id: 'a1', roles: ['member'], disabled: false });

beforeEach(() => {
  signIn();
  server.use(http.get(at('/api/admin/accounts'), ({ request }) => {
    const url = new URL(request.url);
    if (url.searchParams.get('search')) return HttpResponse.json([]);
    return url.searchParams.get('cursor')
      ? HttpResponse.json([account({ id: 'a2', name: '', email: '', erasedAt: '2026-11-02T00:00:00Z' })])
      : HttpResponse.json([account()], { headers: { Link: '</api/admin/accounts?limit=50&cursor=next>; rel="next"' } });
  }));
});

test('accounts page by page, with search', async () => {
  const { user } = renderApp('/admin/accounts');
  const table = await screen.findByRole('region', { name: 'All accounts' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent('Nínanina@example.commemberActiveOn12Nov 20, 12:00Nov 1, 00:00');
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('Erased account')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Search'), 'zz');
  expect(await screen.findByText('No account matches.')).toBeInTheDocument();
});

test('roles are replaced, sessions ended, accounts disabled with a reason', async () => {
  server.use(
    http.put(at('/api/admin/accounts/{id}/roles'), () => admined.clone()),
    http.delete(at('/api/admin/accounts/{id}/sessions'), () => admined.clone()),
    http.post(at('/api/admin/accounts/{id}/disable'), () => refuse(409, 'This is the last admin. Make somebody else one first.', 'last_admin')),
  );
  const { user } = renderApp('/admin/accounts');
  await user.click(await screen.findByRole('button', { name: 'Roles of Nína' }));
  expect(await screen.findByRole('checkbox', { name: 'member' })).toBeDisabled();
  await user.click(screen.getByRole('checkbox', { name: 'analyst' }));
  await user.click(screen.getByRole('button', { name: 'Save roles' }));
  expect(await screen.findByText('Roles changed', { exact: true })).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('PUT'))?.body).toEqual({ roles: ['member', 'analyst'] });
  await user.click(screen.getByRole('button', { name: 'End sessions of Nína' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'End sessions' }));
  expect(await screen.findByText('Sessions ended', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Disable Nína' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByRole('button', { name: 'Disable' })).toBeDisabled();
  await user.type(within(dialog).getByLabelText('Reason'), 'fraud');
  await user.click(within(dialog).getByRole('button', { name: 'Disable' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('This is the last admin.');
});

test('the audit trail is filtered, and its chain checked', async () => {
  server.use(
    http.get(at('/api/admin/audit-trail'), () => HttpResponse.json([auditEntry({ outcome: 'refused', action: 'account.sign_in', details: { reason: 'credentials' } })])),
    http.get(at('/api/admin/audit-trail/check'), ({ request }) => {
      const after = new URL(request.url).searchParams.get('after');
      const place = after === null ? 40 : Number(after);
      const checkedTo = Math.min(41, place + 30);
      return HttpResponse.json({ rows: 41, anchored: 40, after: place, checkedTo, head: `hash${String(checkedTo)}`, firstBroken: null });
    }),
  );
  const { user } = renderApp('/admin/audit-trail');
  const table = await screen.findByRole('region', { name: 'Entries of the audit trail' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent('Sign-in Refusedaccount.sign_inSigrúnSigrún82.221.0.0/24, Firefoxreason: credentials');
  await user.selectOptions(screen.getByLabelText('Outcome'), 'Refused');
  await user.click(await screen.findByRole('button', { name: 'Sigrún' }));
  expect(await screen.findByRole('button', { name: 'Only Sigrún: show all' })).toBeInTheDocument();
  expect(requests('GET /api/admin/audit-trail?').at(-1)).toBe('GET /api/admin/audit-trail?limit=50&outcome=refused&accountId=u1');
  await user.click(screen.getByRole('button', { name: 'Check since the last anchor' }));
  expect(await screen.findByText('Whole')).toBeInTheDocument();
  expect(screen.getByText(/^1 of 1 entries looked at/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Check every entry' }));
  expect(await screen.findByText(/^41 of 41 entries looked at/)).toBeInTheDocument();
  expect(screen.getByText('hash41')).toBeInTheDocument();
  expect(requests('GET /api/admin/audit-trail/check').slice(1)).toEqual(['GET /api/admin/audit-trail/check?after=0', 'GET /api/admin/audit-trail/check?after=30']);
});

test('the outbox shows a mail when it is asked for', async () => {
  const mail = { id: 'm1', kind: 'password_reset', to: 'nina@example.com', subject: 'Set a new password', state: 'waiting', attempts: 0, error: '', createdAt: '2026-11-20T12:00:00Z', sentAt: null };
  server.use(http.get(at('/api/admin/outbox'), () => HttpResponse.json([mail])), http.get(at('/api/admin/outbox/{id}'), () => HttpResponse.json({ ...mail, text: 'http://a/reset-password#code=1' })));
  const { user } = renderApp('/admin/outbox');
  expect(await screen.findByText('Waiting')).toBeInTheDocument();
  expect(requests('GET /api/admin/outbox/')).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Read the mail to nina@example.com: Set a new password' }));
  expect(await screen.findByText('http://a/reset-password#code=1')).toBeInTheDocument();
});
