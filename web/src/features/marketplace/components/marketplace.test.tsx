import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { listing, listingInFull, verification } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { readState, writeState } from '../lib/search';
import { formatDifference, formatPrice, formatSum, formatTraffic, formatYears, parseDollars } from '../lib/format';
import type { Listing, ListingInFull, Question } from '../lib/types';

const LISTINGS = [
  listing(),
  listing({
    id: 'l2',
    title: 'Hosting compared',
    niche: 'hosting',
    verificationStatus: 'verified',
    monthlyTraffic: 1_250_000,
    monthlyProfit: null,
  }),
];

function serve(rows: Listing[] = LISTINGS) {
  server.use(
    http.get('/api/marketplace/listings', ({ request }) => {
      const search = new URL(request.url).searchParams.get('search')?.toLowerCase() ?? '';
      return json(rows.filter((row) => row.title.toLowerCase().includes(search)));
    }),
  );
}

function serveOne(one: ListingInFull, questions: Question[] = []) {
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(one)),
    http.get('/api/marketplace/listings/{id}/questions', () => json(questions)),
    http.get('/api/marketplace/listings/{id}/history', () => json([])),
  );
}
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;

test('spec §9: money in USD without decimals, traffic in K from 1,000 and M from 1,000,000', () => {
  expect([0, 950, 45_000, 1_234_567.4, null].map(formatPrice)).toEqual(['$0', '$950', '$45,000', '$1,234,567', '–']);
  expect([0, 999, 1000, 1500, 12_500, 999_999, 1_000_000, 2_450_000, null].map(formatTraffic)).toEqual([
    '0',
    '999',
    '1K',
    '1.5K',
    '12.5K',
    '999.9K',
    '1M',
    '2.4M',
    '–',
  ]);
  expect([0.5, 1, 3.25, null].map(formatYears)).toEqual(['Under 1 year', '1 year', '3.2 years', '–']);
  expect([12.54, -3, 0].map(formatDifference)).toEqual(['+12.5%', '−3%', '0%']);
  expect(
    [
      { amount: 4_000_000, currency: 'USD' },
      { amount: 150, currency: 'USD' },
    ].map(formatSum),
  ).toEqual(['$40,000', '$1.50']);
  expect(
    ['25000', '25,000', '$ 25,000.00', '2,50', '12.5', '-5', '0', 'x', ''].map((text) => parseDollars(text)),
  ).toEqual([25_000, 25_000, 25_000, null, null, null, 0, null, null]);
  expect([
    parseDollars('-500', { negative: true }),
    parseDollars('0', { zero: false }),
    parseDollars('9999999999999'),
  ]).toEqual([-500, null, null]);
});

test('the address holds every filter, and what it does not know falls back', () => {
  const full = {
    search: 'vpn & co',
    niche: 'vpn',
    sort: 'price-low',
    minPrice: 100,
    maxPrice: 5000,
    verified: true,
  } as const;
  expect(readState(writeState(full))).toEqual(full);
  expect(writeState(readState({ niche: 'gambling', sort: 'best', minPrice: 'x' }))).toEqual({});
});

test('spec §2, §3: cards show title, price, revenue, profit, traffic, years and verification, and lead to their listing', async () => {
  serve();
  const { router } = renderApp('/marketplace');
  const cards = await screen.findByRole('list', { name: 'Listings' });
  const [first, second] = within(cards).getAllByRole('article') as [HTMLElement, HTMLElement];
  expect(first).toHaveTextContent('$45,000');
  expect(first).toHaveTextContent('$1,850/mo');
  expect(first).toHaveTextContent('$1,500/mo');
  expect(first).toHaveTextContent('12.5K/mo');
  expect(first).toHaveTextContent('3 years');
  expect(within(first).getByText('Pending')).toBeInTheDocument();
  expect(within(second).getByText('Verified')).toBeInTheDocument();
  expect(second).toHaveTextContent('1.2M/mo');
  expect(within(first).getByRole('link', { name: 'VPN reviews' })).toHaveAttribute('href', '/marketplace/listing/l1');
  expect(screen.getByRole('link', { name: 'Sell Your Website' })).toHaveAttribute('href', '/marketplace/sell');
  expect(router.state.location.pathname).toBe('/marketplace');
});

test('spec §2, §5, §9: search, niches and sorts are in the address; the niche is applied here as well', async () => {
  serve();
  const { user, router } = renderApp('/marketplace');
  await screen.findByRole('link', { name: 'VPN reviews' });
  expect(
    within(screen.getByLabelText('Niche'))
      .getAllByRole('option')
      .map((option) => option.getAttribute('value')),
  ).toEqual(['all', 'vpn', 'hosting', 'software', 'finance', 'health', 'education', 'ecommerce']);
  expect(
    within(screen.getByLabelText('Sort by'))
      .getAllByRole('option')
      .map((option) => option.getAttribute('value')),
  ).toEqual(['recent', 'price-low', 'price-high', 'revenue']);
  // The server here does not look at the niche.
  await user.selectOptions(screen.getByLabelText('Niche'), 'hosting');
  await waitFor(() => expect(screen.queryByRole('link', { name: 'VPN reviews' })).not.toBeInTheDocument());
  expect(await screen.findByRole('link', { name: 'Hosting compared' })).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Sort by'), 'price-high');
  await user.type(screen.getByLabelText('Search listings'), 'COMPARED');
  await waitFor(() =>
    expect(router.state.location.search).toEqual({ search: 'COMPARED', niche: 'hosting', sort: 'price-high' }),
  );
  expect(screen.getByLabelText('Search listings')).toHaveFocus();
  await waitFor(() =>
    expect(requests('GET /api/marketplace/listings?').at(-1)).toContain(
      'sort=price-high&search=COMPARED&niche=hosting',
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ sort: 'price-high' }));
  expect(screen.getByLabelText('Search listings')).toHaveValue('');
});

test('a price is taken on Enter, the field keeps the focus; what is no sum of dollars says so', async () => {
  serve();
  const { user, router } = renderApp('/marketplace');
  await screen.findByRole('list', { name: 'Listings' });
  const lowest = screen.getByLabelText('Lowest price');
  await user.type(lowest, '12,5{Enter}');
  expect(lowest).toHaveAccessibleDescription('Whole dollars, like 25000');
  expect(router.state.location.search).toEqual({});
  await user.clear(lowest);
  await user.type(lowest, '1,234{Enter}');
  await waitFor(() => expect(router.state.location.search).toEqual({ minPrice: '1234' }));
  expect(lowest).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(screen.getByLabelText('Lowest price')).toHaveValue(''));
});

test('a website under offer says so on its card', async () => {
  serve([listing({ status: 'under_offer' }), listing({ id: 'l2', title: 'Free' })]);
  renderApp('/marketplace');
  const [first, second] = within(await screen.findByRole('list', { name: 'Listings' })).getAllByRole('article') as [
    HTMLElement,
    HTMLElement,
  ];
  expect(within(first).getByText('Under offer')).toBeInTheDocument();
  expect(within(second).queryByText('Under offer')).not.toBeInTheDocument();
});

test('what was sold, or lies in escrow, is not asked about and not watched any more', async () => {
  signIn();
  serveOne(listingInFull({ status: 'in_escrow', myOffer: 'o1' }));
  renderApp('/marketplace/listing/l1');
  expect(await screen.findByRole('link', { name: 'Your offer' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Ask' })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Watch' })).not.toBeInTheDocument();
});

test('a listing leads to its seller, with what they sell and have sold', async () => {
  const { seller } = listingInFull();
  serve();
  serveOne(listingInFull());
  server.use(http.get('/api/marketplace/sellers/{id}', () => json(seller)));
  const { user, router } = renderApp('/marketplace/listing/l1');
  await user.click(await screen.findByRole('link', { name: 'Jón' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Jón' })).toBeInTheDocument();
  expect(router.state.location.pathname).toBe('/marketplace/seller/s1');
  expect(screen.getByText('Member since March 2025')).toBeInTheDocument();
  expect(screen.getByRole('region', { name: 'Statistics' })).toHaveTextContent('For sale2Verified1Sold1');
  expect(within(await screen.findByRole('list', { name: 'For sale' })).getAllByRole('article')).toHaveLength(2);
  expect(requests('GET /api/marketplace/listings?').at(-1)).toContain('seller=s1');
});

test('a seller who is not there is the page that is not found', async () => {
  server.use(http.get('/api/marketplace/sellers/{id}', () => refuse(404, 'Member not found.')));
  renderApp('/marketplace/seller/nobody');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

test('spec §2: without a match the page says so in the words of the specification', async () => {
  serve();
  renderApp('/marketplace?search=nothing+like+it');
  expect(await screen.findByText('No listings found matching your criteria.')).toBeInTheDocument();
});

test('a refused list says why and is read again on demand', async () => {
  server.use(http.get('/api/marketplace/listings', () => refuse(503, 'Not now')));
  const { user } = renderApp('/marketplace');
  expect(await screen.findByText('Error loading listings: Not now')).toBeInTheDocument();
  serve();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'VPN reviews' })).toBeInTheDocument();
});

test('a member saves a search as it is narrowed down', async () => {
  signIn();
  serve();
  server.use(http.post('/api/marketplace/saved-searches', () => json({ id: 'q1' }, { status: 201 })));
  const { user } = renderApp('/marketplace?niche=vpn&maxPrice=50000');
  await user.click(await screen.findByRole('button', { name: 'Save this search' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save this search?' });
  expect(dialog).toHaveTextContent('VPN · up to $50,000');
  await user.click(within(dialog).getByRole('button', { name: 'Save search' }));
  expect(await screen.findByText('Search saved')).toBeInTheDocument();
  expect(bodyOf('POST /api/marketplace/saved-searches')).toEqual({
    search: '',
    niche: 'vpn',
    minPrice: null,
    maxPrice: 50_000,
    verified: false,
  });
});

test('a listing shows figures, seller and what its own log says; a visitor is asked to sign in', async () => {
  serveOne(listingInFull({ verification: verification(), verificationStatus: 'overstated' }));
  const { user } = renderApp('/marketplace/listing/l1');
  const card = await screen.findByRole('region', { name: 'Verification' });
  expect(card).toHaveTextContent('Calculated from the website’s tracking data on Nov 20, 12:00');
  expect(card).toHaveTextContent('Proven domainvpnreview.example (DNS record found)');
  expect(card).toHaveTextContent('Months of data9 of 12 with data');
  expect(card).toHaveTextContent('Tracked page views81.5%');
  expect(card).toHaveTextContent('Tracked revenue64%');
  expect(card).toHaveTextContent('Seller says 12.5K (+25%)');
  expect(card).toHaveTextContent('Seller says $1,850 (−7.5%)');
  expect(within(card).getByText('(+25%)')).toHaveClass('text-bad');
  expect(within(card).getByText('(−7.5%)')).toHaveClass('text-good');
  expect(screen.getAllByText('Claims exceed measurements')).toHaveLength(2);
  expect(within(card).queryByText('Verified')).not.toBeInTheDocument();
  expect(within(card).getByRole('img', { name: /^Visitors by month: December 2025 8,000/ })).toBeInTheDocument();
  await user.click(within(card).getByRole('button', { name: 'Show as table' }));
  expect(within(card).getAllByRole('row')).toHaveLength(13);
  expect(screen.getByRole('region', { name: 'Seller' })).toHaveTextContent('Member since March 2025');
  expect(screen.getByRole('link', { name: 'Sign in to make an offer' })).toBeInTheDocument();
  expect(screen.getByText('https://vpnreview.example').closest('a')).toHaveAttribute(
    'rel',
    'nofollow ugc noopener noreferrer',
  );
  expect(screen.getByText('No questions yet.')).toBeInTheDocument();
});

test('an overstatement within the tolerance is verified, but never green', async () => {
  const slight = { ...verification(), trafficDifference: 8, trafficOverstated: false };
  serveOne(listingInFull({ verification: slight, verificationStatus: 'verified' }));
  renderApp('/marketplace/listing/l1');
  const card = await screen.findByRole('region', { name: 'Verification' });
  expect(within(card).getByText('Verified')).toBeInTheDocument();
  expect(within(card).getByText('(+8%)')).not.toHaveClass('text-good');
});

test('spec §4: a listing that is not verified is Pending and says why', async () => {
  serveOne(listingInFull({ verificationNote: 'no_whole_month' }));
  renderApp('/marketplace/listing/l1');
  const card = await screen.findByRole('region', { name: 'Verification' });
  expect(within(card).getByText('Pending')).toBeInTheDocument();
  expect(card).toHaveTextContent('needs one full month of tracking');
  expect(card).toHaveTextContent('Imported and backfilled events do not count');
});

test('a listing that is not there, or not for me, is the page that is not found', async () => {
  server.use(http.get('/api/marketplace/listings/{id}', () => refuse(404, 'Listing not found.')));
  renderApp('/marketplace/listing/nothing');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

test('a member asks, watches and makes an offer in whole dollars', async () => {
  signIn();
  serveOne(listingInFull());
  server.use(
    http.put('/api/marketplace/listings/{id}/watch', () => noContent()),
    http.post('/api/marketplace/listings/{id}/questions', () => json({ id: 'q1' }, { status: 201 })),
    http.post('/api/marketplace/listings/{id}/offers', () =>
      json({ id: 'o1', status: 'sent', escrowId: null }, { status: 201 }),
    ),
    http.get('/api/marketplace/offers/{id}', () => refuse(404, 'Offer not found.')),
  );
  const { user, router } = renderApp('/marketplace/listing/l1');
  await user.click(await screen.findByRole('button', { name: 'Watch' }));
  expect(await screen.findByText('Watching this listing')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Ask' }));
  expect(screen.getByText('Please enter a text')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Ask the seller'), 'Is the domain part of it?');
  await user.click(screen.getByRole('button', { name: 'Ask' }));
  expect(await screen.findByText('Question sent')).toBeInTheDocument();
  expect(bodyOf('POST /api/marketplace/listings/l1/questions')).toEqual({ text: 'Is the domain part of it?' });
  await user.click(screen.getByRole('button', { name: 'Make an offer' }));
  const dialog = await screen.findByRole('dialog', { name: 'Make an offer' });
  const price = within(dialog).getByLabelText('Price (US dollars)');
  await user.clear(price);
  await user.type(price, '40000.50');
  await user.click(within(dialog).getByRole('button', { name: 'Send offer' }));
  expect(within(dialog).getByText('Please enter whole US dollars, like 25000')).toBeInTheDocument();
  await user.clear(price);
  await user.type(price, '40,000');
  await user.click(within(dialog).getByRole('button', { name: 'Send offer of $40,000' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/marketplace/deals/o1'));
  expect(bodyOf('POST /api/marketplace/listings/l1/offers')).toEqual({ price: 40_000, text: '' });
});

test('the seller answers a question and edits; nobody offers for what is their own', async () => {
  signIn();
  const question: Question = {
    id: 'q1',
    authorName: 'Embla',
    text: 'Which traffic?',
    askedAt: '2026-11-20T12:00:00Z',
    answer: null,
    answeredAt: null,
    isMine: false,
    isHidden: false,
    flags: null,
  };
  serveOne(listingInFull({ isMine: true, edition: 3 }), [question]);
  server.use(http.post('/api/marketplace/questions/{id}/answer', () => json({ id: 'q1' })));
  const { user } = renderApp('/marketplace/listing/l1');
  await user.click(await screen.findByRole('button', { name: 'Answer Embla' }));
  await user.type(screen.getByLabelText('Answer to Embla'), 'From search.');
  await user.click(screen.getByRole('button', { name: 'Answer' }));
  expect(await screen.findByText('Answer sent')).toBeInTheDocument();
  expect(bodyOf('/answer')).toEqual({ text: 'From search.' });
  expect(screen.getByRole('link', { name: 'Edit' })).toHaveAttribute('href', '/marketplace/sell?listing=l1');
  expect(screen.queryByRole('button', { name: 'Make an offer' })).not.toBeInTheDocument();
});
