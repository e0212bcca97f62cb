import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { ApiError } from '@/lib/api/errors';
import { createSaver } from '@/lib/api/saver';
import { listing, listingInFull, verification } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse, type Ok } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { draftOf, fieldsOf, missingIn, withSaved } from '../lib/draft';
import type { ListingFields, ListingInFull } from '../lib/types';

const mine = (over: Partial<ListingInFull> = {}) =>
  listingInFull({ status: 'draft', isMine: true, edition: 1, publishedAt: null, expiresAt: null, ...over });
const bodiesOf = (part: string) =>
  state.seen.filter((item) => item.line.includes(part)).map((item) => item.body as Record<string, unknown>);
/** All of a text at once: what is typed slowly is kept in between, after a rest. */
async function write(user: UserEvent, field: HTMLElement, value: string) {
  await user.click(field);
  fireEvent.change(field, { target: { value } });
}
const fieldsFor = (title: string): ListingFields => fieldsOf(draftOf(mine({ title }))).fields;

test('a draft is read from its fields and written back; what cannot be understood is named', () => {
  const draft = draftOf(mine());
  expect(fieldsOf(draft)).toMatchObject({
    faults: {},
    fields: { title: 'VPN reviews', askingPrice: 45_000, monthlyTraffic: 12_500, yearsEstablished: 3, niche: 'vpn' },
  });
  const wrong = fieldsOf({
    ...draft,
    askingPrice: '12.50',
    monthlyProfit: '-300',
    monthlyTraffic: 'many',
    yearsEstablished: '2,5',
    monthlyRevenue: '',
  });
  expect(wrong.fields).toMatchObject({ monthlyProfit: -300, yearsEstablished: 2.5, monthlyRevenue: null });
  expect(wrong.faults).toEqual({
    askingPrice: 'Please enter whole US dollars, like 25000',
    monthlyTraffic: 'Please enter a whole number of visitors',
  });
  expect(withSaved(wrong.fields, wrong.faults, fieldsOf(draft).fields)).toMatchObject({
    askingPrice: 45_000,
    monthlyTraffic: 12_500,
    monthlyProfit: -300,
    monthlyRevenue: null,
  });
  expect(missingIn(fieldsOf(draft).fields)).toEqual({});
  expect(
    Object.keys(
      missingIn(
        fieldsOf({
          ...draft,
          title: 'abc',
          websiteUrl: 'vpn.example',
          niche: '',
          description: 'short',
          askingPrice: '',
        }).fields,
      ),
    ),
  ).toEqual(['title', 'websiteUrl', 'niche', 'description', 'askingPrice']);
});

test('writes go one after the other, each on the edition that the one before made', async () => {
  const written: [string, number][] = [];
  let release = () => {};
  const saver = createSaver({
    edition: 4,
    value: fieldsFor('a'),
    conflict: 'changed_elsewhere',
    delayMs: null,
    write: (fields, edition) => {
      written.push([fields.title, edition]);
      return new Promise((resolve) => (release = () => resolve({ edition: edition + 1 })));
    },
  });
  expect(await saver.flush()).toBe(true);
  saver.change(fieldsFor('ab'));
  expect(saver.state().status).toBe('waiting');
  const first = saver.flush();
  await waitFor(() => expect(written).toEqual([['ab', 4]]));
  saver.change(fieldsFor('abc'));
  const image = saver.run((edition) => Promise.resolve({ edition: edition + 1 }));
  const second = saver.flush();
  release();
  expect(await first).toBe(false);
  expect(saver.state().status).toBe('waiting');
  await image;
  await waitFor(() =>
    expect(written).toEqual([
      ['ab', 4],
      ['abc', 6],
    ]),
  );
  release();
  expect(await second).toBe(true);
  expect(saver.state().status).toBe('saved');
});

test('what was refused is kept to be tried again; a change elsewhere ends the writing', async () => {
  const answers: Error[] = [new ApiError(503, 'Not now'), new ApiError(409, 'Changed elsewhere', 'changed_elsewhere')];
  const saver = createSaver({
    edition: 1,
    value: fieldsFor('a'),
    conflict: 'changed_elsewhere',
    delayMs: null,
    write: () => Promise.reject(answers.shift() ?? new Error('no more')),
  });
  saver.change(fieldsFor('b'));
  expect(await saver.flush()).toBe(false);
  expect(saver.state().status).toBe('failed');
  expect(await saver.flush()).toBe(false);
  expect(saver.state().status).toBe('conflict');
  saver.change(fieldsFor('c'));
  expect(await saver.flush()).toBe(false);
  expect(answers).toEqual([]);
});

test('a listing begins with a title, is kept while it is written, and is submitted once it is whole', async () => {
  signIn();
  let one = mine({ title: 'Hosting compared', description: '', askingPrice: null });
  let edition = 1;
  server.use(
    http.post('/api/marketplace/listings', () =>
      json({ id: 'l1', status: 'draft', edition: 1, images: [] }, { status: 201 }),
    ),
    http.get('/api/marketplace/listings/{id}', () => json(one)),
    http.patch('/api/marketplace/listings/{id}', () =>
      json({ id: 'l1', status: 'draft', edition: ++edition, images: [] }),
    ),
    http.post('/api/marketplace/listings/{id}/submit', () =>
      json({ id: 'l1', status: 'in_review', edition, images: [] }),
    ),
    http.get('/api/marketplace/my/listings', () => json([listing({ title: 'Hosting compared', status: 'in_review' })])),
  );
  const { user, router } = renderApp('/marketplace/sell');
  await user.click(await screen.findByRole('button', { name: 'Start draft' }));
  expect(screen.getByText('Please enter a title')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Title'), 'Hosting compared');
  await user.click(screen.getByRole('button', { name: 'Start draft' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ listing: 'l1' }));
  expect(await screen.findByText('All changes saved')).toBeInTheDocument();
  await write(user, screen.getByLabelText('Description'), 'Compares hosts by measured uptime and price.');
  expect(screen.getByText('Not saved yet')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Next: Numbers' }));
  expect(await screen.findByText('All changes saved')).toBeInTheDocument();
  expect(bodiesOf('PATCH')).toEqual([
    expect.objectContaining({
      description: 'Compares hosts by measured uptime and price.',
      edition: 1,
      askingPrice: null,
    }),
  ]);
  await write(user, screen.getByLabelText('Asking price (US dollars)'), '12.50');
  expect(screen.getByText('Fix the highlighted fields to save')).toBeInTheDocument();
  expect(screen.getByText('Please enter whole US dollars, like 25000')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /Preview/ }));
  expect(await screen.findByRole('button', { name: 'Submit for review' })).toBeDisabled();
  await user.click(within(screen.getByRole('list', { name: 'Missing information' })).getByRole('button'));
  await write(user, await screen.findByLabelText('Asking price (US dollars)'), '25,000');
  await user.click(screen.getByRole('button', { name: /Preview/ }));
  expect(await screen.findByText('$25,000')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Submit for review' }));
  one = { ...one, status: 'in_review' };
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Submit this listing?' })).getByRole('button', {
      name: 'Submit for review',
    }),
  );
  await waitFor(() => expect(router.state.location.pathname).toBe('/marketplace/mine'));
  expect(bodiesOf('PATCH').at(-1)).toMatchObject({ askingPrice: 25_000, edition: 2 });
  expect(requests('POST /api/marketplace/listings/l1/submit')).toHaveLength(1);
  expect(await screen.findByRole('heading', { name: 'My listings' })).toBeInTheDocument(); // the page before said it, too
  expect(await screen.findByText('In review')).toBeInTheDocument();
});

test('images are chosen, dropped, ordered and removed; anything else is refused here', async () => {
  signIn();
  const images: string[] = [];
  const answer = () =>
    json<Ok<'/api/marketplace/listings/{id}/images', 'put'>>(
      { id: 'l1', status: 'draft', edition: images.length + 1, images },
      { status: 201 },
    );
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(mine())),
    http.post('/api/marketplace/listings/{id}/images', ({ request }) => {
      expect(request.headers.get('Content-Type')).toBe('image/png');
      images.push(`${images.length + 1}`.repeat(64));
      return answer();
    }),
    http.put('/api/marketplace/listings/{id}/images', async ({ request }) => {
      images.splice(0, images.length, ...((await request.json()) as { images: string[] }).images);
      return answer();
    }),
  );
  const { user } = renderApp('/marketplace/sell?listing=l1&step=images');
  const png = (name: string) => new File(['x'], name, { type: 'image/png' });
  await user.upload(await screen.findByLabelText('Add images'), [png('a.png'), png('b.png')]);
  const list = await screen.findByRole('list', { name: 'Images of the listing' });
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(2));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Move image 2 forward' })).toBeEnabled());
  await user.click(screen.getByRole('button', { name: 'Move image 2 forward' }));
  await waitFor(() => expect(images.map((hash) => hash[0])).toEqual(['2', '1']));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Remove image 1' })).toBeEnabled());
  await user.click(screen.getByRole('button', { name: 'Remove image 1' }));
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
  fireEvent.drop(screen.getByText(/^Drop images here/).parentElement as HTMLElement, {
    dataTransfer: { files: [new File(['x'], 'notes.pdf', { type: 'application/pdf' })] },
  });
  expect(await screen.findByText('“notes.pdf” is not a JPEG, PNG or WebP image.')).toBeInTheDocument();
});

test('a listing that is online is changed by a button that says what follows', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(mine({ status: 'active', edition: 5 }))),
    http.patch('/api/marketplace/listings/{id}', () => json({ id: 'l1', status: 'in_review', edition: 6, images: [] })),
  );
  const { user } = renderApp('/marketplace/sell?listing=l1');
  await user.type(await screen.findByLabelText('Title'), ' and more');
  await user.tab();
  expect(requests('PATCH')).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Save changes' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Change a listing that is online?' })).getByRole('button', {
      name: 'Save changes',
    }),
  );
  expect(await screen.findByText('Changes saved')).toBeInTheDocument();
  expect(bodiesOf('PATCH')).toEqual([expect.objectContaining({ title: 'VPN reviews and more', edition: 5 })]);
});

test('what was changed of a listing that is online waits in this browser when the page is left', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(mine({ status: 'active', edition: 5 }))),
    http.get('/api/marketplace/my/listings', () => json([listing()])),
    http.patch('/api/marketplace/listings/{id}', () => json({ id: 'l1', status: 'in_review', edition: 6, images: [] })),
  );
  const { user, router } = renderApp('/marketplace/sell?listing=l1');
  await user.type(await screen.findByLabelText('Title'), ' and more');
  await router.navigate({ to: '/marketplace/mine' });
  expect(
    await screen.findByText('They are stored in this browser: edit the listing again to save them.', { exact: true }),
  ).toBeInTheDocument();
  await user.click(await screen.findByRole('link', { name: 'Edit VPN reviews' }));
  expect(await screen.findByLabelText('Title')).toHaveValue('VPN reviews and more');
  expect(screen.getByRole('button', { name: 'Save changes' })).toBeEnabled();
  expect(requests('PATCH')).toEqual([]);
});

test('a draft is kept on the way out; what could not be kept is there again after the next sign-in, unless it was changed elsewhere', async () => {
  signIn();
  let edition = 1;
  let refused = true;
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(mine({ edition }))),
    http.get('/api/marketplace/my/listings', () => json([])),
    http.patch('/api/marketplace/listings/{id}', () =>
      refused ? refuse(401, 'Please sign in.') : json({ id: 'l1', status: 'draft', edition: ++edition, images: [] }),
    ),
  );
  const { user, router } = renderApp('/marketplace/sell?listing=l1');
  await write(user, await screen.findByLabelText('Title'), 'VPN reviews and more');
  await user.tab();
  expect(await screen.findByRole('button', { name: 'Sign In' })).toBeInTheDocument();
  expect(Object.keys(localStorage).filter((name) => name.startsWith('unsaved:'))).toEqual(['unsaved:u1:listing:l1']);
  signIn();
  refused = false;
  await router.navigate({ to: '/marketplace/sell', search: { listing: 'l1' } });
  expect(await screen.findByLabelText('Title')).toHaveValue('VPN reviews and more');
  await waitFor(() => expect(bodiesOf('PATCH').at(-1)).toMatchObject({ title: 'VPN reviews and more', edition: 1 }));
  expect(await screen.findByText('All changes saved')).toBeInTheDocument();
  expect(localStorage.getItem('unsaved:u1:listing:l1')).toBeNull();
  await user.type(screen.getByLabelText('Title'), '!');
  await router.navigate({ to: '/marketplace/mine' });
  await waitFor(() => expect(bodiesOf('PATCH').at(-1)).toMatchObject({ title: 'VPN reviews and more!', edition: 2 }));
  localStorage.setItem(
    'unsaved:u1:listing:l1',
    JSON.stringify({ edition: 2, draft: draftOf(mine({ title: 'Of before' })) }),
  );
  await router.navigate({ to: '/marketplace/sell', search: { listing: 'l1' } });
  expect(await screen.findByLabelText('Title')).toHaveValue('VPN reviews');
});

test('an image for a listing that is online is asked about; one that is too large is refused here', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(mine({ status: 'active', edition: 5 }))),
    http.post('/api/marketplace/listings/{id}/images', () =>
      json({ id: 'l1', status: 'in_review', edition: 6, images: ['a'.repeat(64)] }, { status: 201 }),
    ),
  );
  const { user } = renderApp('/marketplace/sell?listing=l1&step=images');
  const big = new File(['x'], 'big.png', { type: 'image/png' });
  Object.defineProperty(big, 'size', { value: 5 * 1024 * 1024 + 1 });
  await user.upload(await screen.findByLabelText('Add images'), big);
  expect(await screen.findByText('“big.png” is larger than 5 MB.')).toBeInTheDocument();
  await user.upload(screen.getByLabelText('Add images'), new File(['x'], 'a.png', { type: 'image/png' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add to a listing that is online?' });
  expect(requests('POST')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Add images' }));
  await waitFor(() => expect(requests('POST /api/marketplace/listings/l1/images')).toHaveLength(1));
});

test('a website is chosen and compared with its log', async () => {
  signIn();
  let one = mine();
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(one)),
    http.patch('/api/marketplace/listings/{id}', () => json({ id: 'l1', status: 'draft', edition: 2, images: [] })),
    http.post('/api/marketplace/listings/{id}/verify', () => {
      one = mine({ verification: verification(), verificationStatus: 'verified' });
      return json({ id: 'l1', status: 'draft', edition: 2, images: [] });
    }),
  );
  const { user } = renderApp('/marketplace/sell?listing=l1&step=verification');
  await user.selectOptions(await screen.findByLabelText('Tracked website'), 'w1');
  await user.click(screen.getByRole('button', { name: 'Verify my numbers' }));
  expect(await screen.findByText('Seller says 12.5K')).toBeInTheDocument();
  expect(bodiesOf('PATCH')).toEqual([expect.objectContaining({ websiteId: 'w1' })]);
});

test('my listings say where they stand; one is withdrawn after a question', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/my/listings', () =>
      json([listing({ status: 'rejected' }), listing({ id: 'l2', title: 'Sold one', status: 'sold' })]),
    ),
    http.post('/api/marketplace/listings/{id}/withdraw', () =>
      refuse(409, 'A listing that is in escrow cannot be withdrawn.', 'wrong_state'),
    ),
  );
  const { user } = renderApp('/marketplace/mine');
  expect(await screen.findByText('Rejected')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Withdraw Sold one' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Withdraw VPN reviews' }));
  const dialog = await screen.findByRole('dialog', { name: 'Withdraw this listing?' });
  await user.click(within(dialog).getByRole('button', { name: 'Withdraw' }));
  expect(await within(dialog).findByText('A listing that is in escrow cannot be withdrawn.')).toBeInTheDocument();
});

test('what is saved leads back to the narrowed list and can be ended', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/my/saved-searches', () =>
      json([
        {
          id: 'q1',
          search: 'reviews',
          niche: 'vpn',
          minPrice: null,
          maxPrice: 50_000,
          verified: true,
          createdAt: '2026-11-20T12:00:00Z',
        },
      ]),
    ),
    http.get('/api/marketplace/my/watches', () => json([])),
    http.delete('/api/marketplace/saved-searches/{id}', () => noContent()),
  );
  const { user } = renderApp('/marketplace/saved');
  expect(await screen.findByRole('link', { name: '“reviews” · VPN · up to $50,000 · verified only' })).toHaveAttribute(
    'href',
    '/marketplace?search=reviews&niche=vpn&maxPrice=50000&verified=1',
  );
  expect(screen.getByText(/^No watched listings yet/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Remove the search/ }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Remove this search?' })).getByRole('button', { name: 'Remove' }),
  );
  expect(await screen.findByText('Search removed')).toBeInTheDocument();
});
