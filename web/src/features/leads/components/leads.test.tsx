// The forms of visitors by the words of the specification (§4, §5, §7, §8, §9), and the admins' side of them.
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { components } from '@/lib/api/schema';
import { renderApp, renderPart, signIn } from '@/test/render';
import { http, json, noContent, raw, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { useToasts } from '@/stores/toasts';
import { EarlyAccessBanner, EarlyAccessForm } from './early-access-form';
import { InquiryForm } from './inquiry-form';
import { NewsletterForm } from './newsletter-form';
import { ShareSection } from './share-section';
import { timeLeft } from '../lib/time-left';

type Schemas = components['schemas'];
const ok = (message: string, status = 200) =>
  json<Ok<'/api/public/contact', 'post'>>({ ok: true, message }, { status });
const sent = (line: string) => state.seen.find((item) => item.line === line)?.body;
/** An answer that comes when the test says so. */
function held() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release: () => release() };
}
const places = (left: number) => server.use(http.get('/api/public/early-access', () => json({ places: 10, left })));

beforeEach(() => places(3));
afterEach(() => vi.restoreAllMocks());

test('spec §4, §7, §8 newsletter: pending, success, cleared', async () => {
  const answer = held();
  server.use(
    http.post('/api/public/newsletter/subscribe', async () => {
      await answer.released;
      return ok('Please confirm your subscription: we have sent you an email.');
    }),
  );
  const { user } = renderPart(<NewsletterForm source="home_page" withName />);
  await user.type(screen.getByLabelText('Name (optional)'), 'Ada');
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(await screen.findByRole('button', { name: 'Subscribing...' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Subscribing...' }).querySelector('.animate-spin')).toBeInTheDocument();
  answer.release();
  expect(await screen.findByText('Success!')).toBeInTheDocument();
  expect(screen.getByText("You've been subscribed to our newsletter.")).toBeInTheDocument();
  expect(await screen.findByText('Please confirm your subscription: we have sent you an email.')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByLabelText('Email')).toHaveValue(''));
  expect(screen.getByLabelText('Name (optional)')).toHaveValue('');
  expect(sent('POST /api/public/newsletter/subscribe')).toEqual({
    email: 'ada@example.com',
    name: 'Ada',
    source: 'home_page',
    website: '',
  });
});

test('spec §3, §5 newsletter: no name without its field, the default source, nothing sent when empty', async () => {
  server.use(http.post('/api/public/newsletter/subscribe', () => ok('x')));
  const { user } = renderPart(<NewsletterForm />);
  expect(screen.queryByLabelText('Name (optional)')).not.toBeInTheDocument();
  expect(screen.getByLabelText('Email')).toBeRequired();
  expect(screen.getByLabelText('Email')).toHaveAttribute('type', 'email');
  await user.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(requests('POST')).toEqual([]);
  await user.type(screen.getByLabelText('Email'), 'ada@example.com{Enter}');
  await waitFor(() =>
    expect(sent('POST /api/public/newsletter/subscribe')).toEqual({
      email: 'ada@example.com',
      source: 'website',
      website: '',
    }),
  );
});

test("spec §8 newsletter: a failure says the server's words, an answer without ok as well", async () => {
  server.use(
    http.post('/api/public/newsletter/subscribe', () =>
      refuse(429, 'Too many attempts. Please wait a moment and try again.'),
    ),
  );
  const { user } = renderPart(<NewsletterForm />);
  await user.type(screen.getByLabelText('Email'), 'ada@example.com{Enter}');
  expect(await screen.findByText('Subscription failed')).toBeInTheDocument();
  expect(screen.getByText('Too many attempts. Please wait a moment and try again.')).toBeInTheDocument();
  expect(useToasts.getState().items[0]?.tone).toBe('destructive');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  server.use(http.post('/api/public/newsletter/subscribe', () => json({ ok: false, message: 'Not today.' })));
  await user.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(await screen.findByText('Not today.')).toBeInTheDocument();
  server.use(http.post('/api/public/newsletter/subscribe', () => json({ ok: false, message: '' })));
  await user.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(await screen.findByText('Failed to subscribe')).toBeInTheDocument();
});

test.each([
  ['the error of the answer', raw(JSON.stringify({ error: 'Full.' }), { status: 409 }), 'Full.'],
  ['the message of the answer', refuse(409, 'Too late.'), 'Too late.'],
  ['the text of the answer', raw('upstream is gone', { status: 502, statusText: 'Bad Gateway' }), 'upstream is gone'],
  ['status and status text', raw('', { status: 502, statusText: 'Bad Gateway' }), '502: Bad Gateway'],
])('spec §7 forms: a refusal is told by %s', async (_, answer, told) => {
  server.use(http.post('/api/public/newsletter/subscribe', () => answer));
  const { user } = renderPart(<NewsletterForm />);
  await user.type(screen.getByLabelText('Email'), 'ada@example.com{Enter}');
  expect(await screen.findByText(told, { exact: true })).toBeInTheDocument();
});

test('spec §1, §3, §4, §8, §9 early access: the real free places, pending, success', async () => {
  const answer = held();
  server.use(
    http.post('/api/public/early-access', async () => {
      places(2);
      await answer.released;
      return ok("We'll notify you when early access opens.");
    }),
  );
  const { user } = renderPart(
    <>
      <EarlyAccessBanner />
      <EarlyAccessForm />
    </>,
  );
  expect(await screen.findByText('3 of 10 free early access places left')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Get Early Access' }));
  expect(await screen.findByRole('button', { name: 'Signing up...' })).toBeDisabled();
  answer.release();
  expect(await screen.findByText("You're on the list!")).toBeInTheDocument();
  expect(screen.getByText("We'll notify you when early access opens.")).toBeInTheDocument();
  expect(await screen.findByText('2 of 10 free early access places left')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByLabelText('Email')).toHaveValue(''));
});

test('spec §8 early access: failure, and no place left', async () => {
  places(0);
  server.use(
    http.post('/api/public/early-access', () =>
      refuse(400, 'Please enter a valid email', 'invalid', [{ field: 'email', message: 'Please enter a valid email' }]),
    ),
  );
  const { user } = renderPart(
    <>
      <EarlyAccessBanner />
      <EarlyAccessForm layout="row" />
    </>,
  );
  expect(await screen.findByText('All 10 places are filled: join the waiting list')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Email'), 'a@b{Enter}');
  expect(await screen.findByText('Signup failed')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Please enter a valid email'));
  server.use(http.post('/api/public/early-access', () => json({ ok: false, message: '' })));
  await user.click(screen.getByRole('button', { name: 'Get Early Access' }));
  expect(await screen.findByText('Failed to sign up')).toBeInTheDocument();
});

test('spec §3, §4, §5, §7, §8 inquiry: the chosen service, submitting, success, cleared', async () => {
  const answer = held();
  server.use(
    http.post('/api/public/contact', async () => {
      await answer.released;
      return ok('Thank you', 201);
    }),
  );
  const { user } = renderPart(<InquiryForm service="Growth Acceleration" />);
  expect(screen.getByRole('form', { name: 'Ready to Get Started?' })).toBeInTheDocument();
  expect(screen.getByLabelText('Service Interest')).toHaveValue('Growth Acceleration');
  expect(
    within(screen.getByLabelText('Service Interest'))
      .getAllByRole('option')
      .map((item) => item.textContent),
  ).toEqual(['Select a service', 'Strategy Optimization', 'Growth Acceleration', 'Enterprise Solution']);
  for (const label of ['First Name', 'Last Name', 'Email', 'Message'])
    expect(screen.getByLabelText(label)).toBeRequired();
  expect(screen.getByLabelText('Service Interest')).not.toBeRequired();
  await user.type(screen.getByLabelText('First Name'), 'Embla');
  await user.type(screen.getByLabelText('Last Name'), 'Jónsdóttir');
  await user.type(screen.getByLabelText('Email'), 'embla@example.com');
  await user.type(screen.getByLabelText('Message'), 'We sell wool.');
  await user.click(screen.getByRole('button', { name: 'Submit Inquiry' }));
  expect(await screen.findByRole('button', { name: 'Submitting...' })).toBeDisabled();
  answer.release();
  expect(await screen.findByText('Inquiry Submitted')).toBeInTheDocument();
  expect(screen.getByText('Thank you for your inquiry. We will get back to you soon.')).toBeInTheDocument();
  expect(sent('POST /api/public/contact')).toEqual({
    firstName: 'Embla',
    lastName: 'Jónsdóttir',
    email: 'embla@example.com',
    serviceInterest: 'Growth Acceleration',
    message: 'We sell wool.',
    website: '',
  });
  await waitFor(() => expect(screen.getByLabelText('Message')).toHaveValue(''));
});

test('spec §8 inquiry: a failure keeps what was written, and says why where the server does', async () => {
  server.use(
    http.post('/api/public/contact', () =>
      refuse(400, 'The request is not valid', 'invalid', [
        { field: 'message', message: 'Please use at most 20,000 characters' },
      ]),
    ),
  );
  const { user } = renderPart(<InquiryForm />);
  for (const [label, text] of [
    ['First Name', 'A'],
    ['Last Name', 'B'],
    ['Email', 'a@b.is'],
    ['Message', 'Hi'],
  ] as const)
    await user.type(screen.getByLabelText(label), text);
  await user.click(screen.getByRole('button', { name: 'Submit Inquiry' }));
  expect(await screen.findByText('Failed to submit inquiry. Please try again.')).toBeInTheDocument();
  expect(screen.getByText('Error')).toBeInTheDocument();
  await waitFor(() =>
    expect(screen.getByLabelText('Message')).toHaveAccessibleDescription('Please use at most 20,000 characters'),
  );
  expect(screen.getByLabelText('Message')).toHaveValue('Hi');
  expect(sent('POST /api/public/contact')).toMatchObject({ serviceInterest: null });
  server.use(
    http.post('/api/public/contact', () => refuse(429, 'Too many attempts. Please wait a moment and try again.')),
  );
  await user.click(screen.getByRole('button', { name: 'Submit Inquiry' }));
  expect(await screen.findByText('Too many attempts. Please wait a moment and try again.')).toBeInTheDocument();
});

test('spec §2, §7, §8, §9 share: windows of 600 × 400, a mail, the copied link', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { user } = renderPart(<ShareSection url="https://althing.example/a?b=1" title="A & B" description="Why" />);
  const opened = () => new URL(String(open.mock.calls.at(-1)?.[0]));
  await user.click(screen.getByRole('button', { name: 'Twitter' }));
  expect(opened().origin).toBe('https://twitter.com');
  expect(Object.fromEntries(opened().searchParams)).toEqual({ url: 'https://althing.example/a?b=1', text: 'A & B' });
  expect(open.mock.calls.at(-1)?.[2]).toBe('noopener,noreferrer,width=600,height=400');
  await user.click(screen.getByRole('button', { name: 'Facebook' }));
  expect(opened().searchParams.get('u')).toBe('https://althing.example/a?b=1');
  await user.click(screen.getByRole('button', { name: 'LinkedIn' }));
  expect(Object.fromEntries(opened().searchParams)).toEqual({
    mini: 'true',
    url: 'https://althing.example/a?b=1',
    title: 'A & B',
    summary: 'Why',
  });
  expect(screen.getByRole('link', { name: 'Email' })).toHaveAttribute(
    'href',
    'mailto:?subject=A%20%26%20B&body=Why%0A%0Ahttps%3A%2F%2Falthing.example%2Fa%3Fb%3D1',
  );
  document.execCommand = vi.fn(() => true);
  await user.click(screen.getByRole('button', { name: 'Copy Link' }));
  expect(await screen.findByText('Link copied!')).toBeInTheDocument();
  expect(screen.getByText('The link has been copied to your clipboard.')).toBeInTheDocument();
  document.execCommand = vi.fn(() => false);
  await user.click(screen.getByRole('button', { name: 'Copy Link' }));
  expect(await screen.findByText('Failed to copy')).toBeInTheDocument();
  expect(screen.getByText('Please try again.')).toBeInTheDocument();
});

test('spec §3 share: as icons, of the page itself', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  const { user } = renderPart(<ShareSection title="T" variant="icon" />);
  await user.click(screen.getByRole('button', { name: 'Share on Facebook' }));
  expect(new URL(String(open.mock.calls[0]?.[0])).searchParams.get('u')).toBe(window.location.href);
  expect(screen.getByRole('link', { name: 'Share by email' })).toBeInTheDocument();
});

test.each([
  ['/newsletter/confirm', 'Confirm subscription', '/api/public/newsletter/confirm', 'Subscription confirmed'],
  ['/newsletter/unsubscribe', 'Unsubscribe', '/api/public/newsletter/unsubscribe', 'Unsubscribed'],
  ['/site-newsletter/confirm', 'Confirm subscription', '/api/public/site-newsletter/confirm', 'Subscription confirmed'],
  ['/site-newsletter/unsubscribe', 'Unsubscribe', '/api/public/site-newsletter/unsubscribe', 'Unsubscribed'],
  ['/early-access/confirm', 'Confirm address', '/api/public/early-access/confirm', 'Address confirmed'],
  ['/early-access/leave', 'Leave early access', '/api/public/early-access/leave', "You've left early access"],
] as const)(
  'the link of a mail to %s decides nothing until its button is pressed',
  async (page, action, path, done) => {
    server.use(http.post(path, () => ok('It is done.')));
    const { user, router } = renderApp(`${page}#code=abc`);
    const button = await screen.findByRole('button', { name: action });
    expect(requests('POST')).toEqual([]);
    await waitFor(() => expect(router.state.location.hash).toBe(''));
    await user.click(button);
    expect(await screen.findByText('It is done.')).toBeInTheDocument();
    expect(screen.getByText(done)).toBeInTheDocument();
    expect(sent(`POST ${path}`)).toEqual({ code: 'abc' });
  },
);

test('a link that is used up or not whole says so', async () => {
  server.use(
    http.post('/api/public/newsletter/confirm', () =>
      refuse(400, 'This link is no longer valid. Please subscribe again.'),
    ),
  );
  const { user } = renderApp('/newsletter/confirm#code=old');
  await user.click(await screen.findByRole('button', { name: 'Confirm subscription' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('This link is no longer valid. Please subscribe again.');
  renderApp('/newsletter/unsubscribe');
  expect(await screen.findByText('This link is incomplete. Open the full link from your email.')).toBeInTheDocument();
});

const inquiry = (
  over: Partial<components['schemas']['InquiryInFull']> = {},
): components['schemas']['InquiryInFull'] => ({
  id: 'i1',
  firstName: 'Embla',
  lastName: 'Jónsdóttir',
  email: 'embla@example.com',
  serviceInterest: 'Growth Acceleration',
  message: 'We sell wool.\nHow soon?',
  status: 'new',
  assignedTo: null,
  assignedName: null,
  receivedAt: '2026-11-20T12:00:00Z',
  answerBy: '2026-11-21T12:00:00Z',
  answeredAt: null,
  steps: [],
  ...over,
});

function inbox(): void {
  signIn();
  server.use(
    http.get('/api/admin/leads', () =>
      json({
        inquiries: { new: 1 },
        subscribers: { confirmed: 2 },
        places: 10,
        placesTaken: 9,
        waiting: 1,
      }),
    ),
    http.get('/api/admin/inquiries', ({ request }) =>
      json(new URL(request.url).searchParams.get('search') ? [] : [inquiry()]),
    ),
    http.get('/api/admin/inquiries/{id}', () =>
      json(
        inquiry({
          steps: [
            { kind: 'status', text: 'in_progress', by: 'Sigrún', at: '2026-11-20T13:00:00Z', mail: null },
            { kind: 'note', text: 'Big shop.', by: 'Sigrún', at: '2026-11-20T14:00:00Z', mail: null },
            { kind: 'answer', text: 'Soon.', by: 'Sigrún', at: '2026-11-20T15:00:00Z', mail: 'sent' },
            { kind: 'answer', text: 'Now.', by: 'Sigrún', at: '2026-11-20T16:00:00Z', mail: 'failed' },
          ],
        }),
      ),
    ),
    http.get('/api/admin/accounts', () =>
      json([
        {
          id: 'u1',
          name: 'Sigrún',
          email: 's@example.com',
          roles: ['admin'],
          createdAt: '2026-11-01T00:00:00Z',
          disabledAt: null,
          erasedAt: null,
          twoFactor: true,
          sessions: 1,
          lastSeenAt: null,
          websites: 0,
        },
      ]),
    ),
  );
}

test('the inbox is filtered and searched, and says how long is left', async () => {
  inbox();
  const { user, router } = renderApp('/admin/inquiries');
  const table = await screen.findByRole('region', { name: 'All inquiries' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    /Embla Jónsdóttir.*embla@example\.com.*Growth Acceleration.*New.*(left|late).*Unassigned/,
  );
  await user.selectOptions(screen.getByLabelText('Status'), 'New (1)');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?status=new'));
  await waitFor(() =>
    expect(requests('GET /api/admin/inquiries?').at(-1)).toBe('GET /api/admin/inquiries?limit=50&status=new'),
  );
  await user.type(screen.getByLabelText('Search inquiries'), 'zz');
  // Also shown for the first letter alone: then the list loads once more.
  await waitFor(() => expect(screen.getByText('No inquiries match.')).toBeInTheDocument());
});

test('an inquiry is read, assigned, moved, noted, answered and erased', async () => {
  inbox();
  const answered = () =>
    json<Ok<'/api/admin/inquiries/{id}/status', 'post'>>({ id: 'i1', status: 'answered', assignedTo: null });
  server.use(
    http.post('/api/admin/inquiries/{id}/answer', answered),
    http.post('/api/admin/inquiries/{id}/assign', answered),
    http.post('/api/admin/inquiries/{id}/status', answered),
    http.post('/api/admin/inquiries/{id}/notes', () => refuse(409, 'An inquiry has at most 500 entries.')),
    http.delete('/api/admin/inquiries/{id}', () => noContent()),
  );
  const { user, router } = renderApp('/admin/inquiries');
  await user.click(await screen.findByRole('button', { name: 'Embla Jónsdóttir' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Embla Jónsdóttir' }));
  expect(drawer.getByText(/We sell wool/)).toBeInTheDocument();
  expect(drawer.getByText(/^Status set to In progress by Sigrún/)).toBeInTheDocument();
  expect(drawer.getByText('Big shop.')).toBeInTheDocument();
  expect(drawer.getAllByText(/^Email (sent|failed|queued)$/).map((shown) => shown.textContent)).toEqual([
    'Email sent',
    'Email failed',
  ]);
  expect(drawer.getByRole('link', { name: 'Outbox' })).toHaveAttribute('href', '/admin/outbox');
  await drawer.findByRole('option', { name: 'Sigrún' });
  await user.selectOptions(drawer.getByLabelText('Assigned to'), 'Sigrún');
  expect(await screen.findByText('Assignment changed')).toBeInTheDocument();
  expect(sent('POST /api/admin/inquiries/i1/assign')).toEqual({ accountId: 'u1' });
  await user.selectOptions(drawer.getByLabelText('Status'), 'Closed');
  expect(await screen.findByText('Status changed')).toBeInTheDocument();
  expect(drawer.getByRole('button', { name: 'Send reply' })).toBeDisabled();
  await user.type(drawer.getByLabelText('Reply by email'), 'On Monday.');
  await user.click(drawer.getByRole('button', { name: 'Send reply' }));
  expect(await screen.findByText('Reply sent')).toBeInTheDocument();
  expect(sent('POST /api/admin/inquiries/i1/answer')).toEqual({ text: 'On Monday.' });
  await waitFor(() => expect(drawer.getByLabelText('Reply by email')).toHaveValue(''));
  await user.type(drawer.getByLabelText('Note'), 'Kept');
  await user.click(drawer.getByRole('button', { name: 'Add note' }));
  expect(await screen.findByText('Failed to add the note')).toBeInTheDocument();
  expect(drawer.getByLabelText('Note')).toHaveValue('Kept');
  await user.click(drawer.getByRole('button', { name: 'Erase inquiry' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Erase the inquiry of Embla Jónsdóttir?' })).getByRole('button', {
      name: 'Erase',
    }),
  );
  expect(await screen.findByText('Inquiry erased')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
});

test('an empty inbox', async () => {
  inbox();
  server.use(http.get('/api/admin/inquiries', () => json([])));
  renderApp('/admin/inquiries');
  expect(await screen.findByText('No inquiries yet')).toBeInTheDocument();
});

test('subscribers and early access: counts, file, place given, invite, release', async () => {
  inbox();
  const person: Schemas['Subscriber'] = {
    id: 's1',
    email: 'ada@example.com',
    name: 'Ada',
    state: 'confirmed',
    source: 'home_page',
    requestedAt: '2026-11-20T12:00:00Z',
    confirmedAt: '2026-11-20T12:01:00Z',
    endedAt: null,
  };
  const signup = {
    id: 'e1',
    email: 'one@example.com',
    place: 1,
    waitingNumber: null,
    joinedAt: '2026-11-20T12:00:00Z',
    invitedAt: null,
    heldUntil: null,
  };
  const given = () => json<Ok<'/api/admin/early-access/{id}/promote', 'post'>>({ id: 'e1', place: 1 });
  server.use(
    http.get('/api/admin/subscribers', () =>
      json([person, { ...person, id: 's2', email: null, name: null, state: 'ended' }]),
    ),
    http.get('/api/admin/early-access', () =>
      json([
        signup,
        { ...signup, id: 'e2', email: 'two@example.com', place: null, waitingNumber: 1 },
        { ...signup, id: 'e3', email: 'three@example.com', place: 3, invitedAt: '2026-01-02T00:00:00Z' },
        { ...signup, id: 'e4', email: 'four@example.com', place: 4, invitedAt: new Date().toISOString() },
        { ...signup, id: 'e5', email: 'five@example.com', place: null, heldUntil: '2026-11-20T13:00:00Z' },
      ]),
    ),
    http.post('/api/admin/early-access/{id}/promote', given),
    http.post('/api/admin/early-access/{id}/invite', given),
    http.delete('/api/admin/early-access/{id}', () => noContent()),
    http.delete('/api/admin/subscribers/{id}', () => noContent()),
  );
  const { user, router } = renderApp('/admin/subscribers');
  expect(await screen.findByText('9 of 10 places filled, 1 waiting')).toBeInTheDocument();
  expect(await screen.findByText('Waiting, number 1')).toBeInTheDocument();
  expect(screen.getByText('Address deleted')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute('href', '/api/admin/subscribers.csv');
  await user.click(screen.getByRole('button', { name: 'Assign place to two@example.com' }));
  expect(await screen.findByText('Place assigned')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Invite one@example.com' }));
  expect(await screen.findByText('Invite sent')).toBeInTheDocument();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Invite again three@example.com' })).toBeEnabled());
  expect(screen.getByRole('button', { name: 'Invite again four@example.com' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Assign place to five@example.com' })).toBeDisabled();
  expect(screen.getByText(/^No, deleted/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Release one@example.com' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Release' }));
  expect(await screen.findByText('Place released')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Unsubscribe ada@example.com' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Unsubscribe' }));
  expect(await screen.findByText('Address unsubscribed')).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Status'), 'Confirmed (2)');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?state=confirmed'));
});

test('how long is left, and how much it hurries', () => {
  const due = '2026-11-21T12:00:00Z';
  const hours = (count: number) => Date.parse(due) - count * 3_600_000;
  expect([
    timeLeft(due, hours(23.5)),
    timeLeft(due, hours(5)),
    timeLeft(due, hours(0.5)),
    timeLeft(due, hours(-3)),
    timeLeft(due, hours(-100)),
  ]).toEqual([
    { text: '23 h left', tone: 'neutral' },
    { text: '5 h left', tone: 'warn' },
    { text: '30 min left', tone: 'warn' },
    { text: '3 h late', tone: 'bad' },
    { text: '4 days late', tone: 'bad' },
  ]);
});
