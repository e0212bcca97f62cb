import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { auditEntry } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json } from '@/test/http';
import { requests, server } from '@/test/server';

const ACCOUNT = '0192f3a0-0000-7000-8000-000000000001';

beforeEach(() => signIn());

test('the audit trail is filtered, and its chain checked', async () => {
  server.use(
    http.get('/api/admin/audit-trail', () =>
      json([auditEntry({ outcome: 'refused', action: 'account.sign_in', details: { reason: 'credentials' } })]),
    ),
    http.get('/api/admin/audit-trail/check', ({ request }) => {
      const after = new URL(request.url).searchParams.get('after');
      const place = after === null ? 40 : Number(after);
      const checkedTo = Math.min(41, place + 30);
      return json({
        rows: 41,
        anchored: 40,
        after: place,
        checkedTo,
        head: `hash${String(checkedTo)}`,
        firstBroken: null,
      });
    }),
  );
  const { user, router } = renderApp('/admin/audit-trail');
  const table = await screen.findByRole('region', { name: 'Entries of the audit trail' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    'Sign-in Rejectedaccount.sign_inSigrúnSigrún82.221.0.0/24, Firefoxreason: credentials',
  );
  await user.selectOptions(screen.getByLabelText('Outcome'), 'Rejected');
  await user.click(await screen.findByRole('button', { name: 'Sigrún' }));
  expect(screen.getByLabelText('Affected object')).toHaveValue('u1');
  await user.clear(screen.getByLabelText('Affected object'));
  await user.type(screen.getByLabelText('Affected object'), ACCOUNT);
  await user.type(screen.getByRole('searchbox', { name: 'Search by who did it' }), 'sig');
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-20' } });
  const days = `since=${encodeURIComponent(new Date(2026, 10, 20).toISOString())}`;
  await waitFor(() =>
    expect(requests('GET /api/admin/audit-trail?').at(-1)).toBe(
      `GET /api/admin/audit-trail?limit=50&outcome=refused&actor=sig&objectId=${ACCOUNT}&${days}`,
    ),
  );
  expect(router.state.location.search).toEqual({
    outcome: 'refused',
    actor: 'sig',
    object: ACCOUNT,
    from: '2026-11-20',
  });
  await user.click(screen.getByRole('button', { name: 'Check since the last anchor' }));
  expect(await screen.findByText('Intact')).toBeInTheDocument();
  expect(screen.getByText(/^1 of 1 entries checked/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Check every entry' }));
  expect(await screen.findByText(/^41 of 41 entries checked/)).toBeInTheDocument();
  expect(screen.getByText('hash41')).toBeInTheDocument();
  expect(requests('GET /api/admin/audit-trail/check').slice(1)).toEqual([
    'GET /api/admin/audit-trail/check?after=0',
    'GET /api/admin/audit-trail/check?after=30',
  ]);
});

test('the outbox shows a mail on request', async () => {
  const mail = {
    id: 'm1',
    kind: 'password_reset',
    to: 'nina@example.com',
    subject: 'Set a new password',
    state: 'waiting',
    attempts: 0,
    error: '',
    createdAt: '2026-11-20T12:00:00Z',
    sentAt: null,
  };
  server.use(
    http.get('/api/admin/outbox', () => json([mail])),
    http.get('/api/admin/outbox/{id}', () => json({ ...mail, text: 'http://a/reset-password#code=1' })),
  );
  const { user } = renderApp('/admin/outbox');
  const read = await screen.findByRole('button', { name: 'Read the email to nina@example.com: Set a new password' });
  expect(requests('GET /api/admin/outbox/')).toEqual([]);
  await user.type(screen.getByRole('searchbox', { name: 'Search subjects' }), 'new');
  expect(requests('GET /api/admin/outbox?')).toHaveLength(1);
  await user.keyboard('{Enter}');
  await waitFor(() =>
    expect(requests('GET /api/admin/outbox?').at(-1)).toBe('GET /api/admin/outbox?limit=50&search=new'),
  );
  expect(await screen.findByRole('button', { name: read.getAttribute('aria-label') ?? '' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Read the email/ }));
  expect(await screen.findByText('http://a/reset-password#code=1')).toBeInTheDocument();
});
