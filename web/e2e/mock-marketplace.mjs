// The marketplace as the mock answers it: listings in every state, one deal for each step.
const NOW = Date.now();
const DAY = 86_400_000;
const at = (days) => new Date(NOW + days * DAY).toISOString();
const usd = (dollars) => ({ amount: dollars * 100, currency: 'USD' });
const HASHES = ['a', 'b', 'c'].map((letter) => letter.repeat(64));

const SITES = [
  ['VPN reviews with steady search traffic', 'vpn', 45_000, 1850, 12_500, 3, 'active'],
  ['Hosting compared by measured uptime', 'hosting', 128_000, 5400, 48_000, 6, 'under_offer'],
  ['Budget spreadsheets and a newsletter of 9,000 readers', 'finance', 32_500, 1120, 950, 0.5, 'active'],
  ['Learn to sew', 'education', 9800, 310, 1_250_000, 11, 'sold'],
  ['SaaS stack directory', 'software', 64_000, 2600, 22_400, 2, 'active'],
  ['Sleep better', 'health', 18_750, 640, 7300, 4.5, 'active'],
];
const listing = ([title, niche, askingPrice, monthlyRevenue, monthlyTraffic, yearsEstablished, status], index) => ({
  id: `m${index + 1}`,
  title,
  websiteUrl: `https://site-${index + 1}.example`,
  niche,
  status,
  askingPrice,
  monthlyRevenue,
  monthlyTraffic,
  yearsEstablished,
  description:
    'Forty articles that rank, written by people who tried what they write about.\n\nThe buyer gets the domain, all texts and images, and the mailing list. It takes about four hours a week.',
  monthlyProfit: Math.round(monthlyRevenue * 0.8),
  verificationStatus: index % 2 === 0 ? 'verified' : 'pending',
  createdAt: at(-40 + index),
  image: index === 2 ? null : `/api/marketplace/images/${HASHES[index % 3]}`,
});
const listings = SITES.map(listing);

const months = Array.from({ length: 12 }, (_, index) => {
  const month = new Date(Date.UTC(2025, 10 + index, 1)).toISOString().slice(0, 10);
  const wave = 1 + Math.sin(index / 2) / 5 + index / 40;
  return {
    month,
    visitors: Math.round(9900 * wave),
    pageviews: Math.round(23_100 * wave),
    revenue: usd(Math.round(1650 * wave)),
  };
});
const average = (value) => Math.round(months.reduce((sum, month) => sum + value(month), 0) / months.length);
const above = (claimed, measured) => Math.round(((claimed - measured) / measured) * 1000) / 10;
const monthlyTraffic = average((month) => month.visitors);
const monthlyRevenue = usd(average((month) => month.revenue.amount / 100));
const verification = {
  asOf: at(-2),
  provenDomain: 'vpn-review.example',
  share: { months: 12, monthsInLog: 14, traffic: 96.4, revenue: 88 },
  monthlyTraffic,
  monthlyRevenue,
  tolerancePercent: 10,
  trafficOverstated: above(12_500, monthlyTraffic) > 10,
  revenueOverstated: above(1850, monthlyRevenue.amount / 100) > 10,
  trafficDifference: above(12_500, monthlyTraffic),
  revenueDifference: above(1850, monthlyRevenue.amount / 100),
  months,
};
const SELLER = {
  id: 's1',
  name: 'Jón Þórsson',
  memberSince: '2025-03-01T00:00:00Z',
  activeListings: 3,
  verifiedListings: 2,
  soldListings: 1,
};
const full = (one, over = {}) => ({
  ...one,
  currency: 'USD',
  images: one.image ? HASHES.map((hash) => ({ hash, url: `/api/marketplace/images/${hash}` })) : [],
  seller: SELLER,
  verification: one.verificationStatus === 'verified' ? verification : null,
  verificationNote: null,
  publishedAt: at(-20),
  expiresAt: at(70),
  isMine: false,
  isReviewer: false,
  hasReviewer: false,
  isWatched: false,
  myOffer: null,
  websiteId: null,
  edition: null,
  reason: null,
  ...over,
});
const draft = full(
  { ...listings[0], status: 'draft', askingPrice: null },
  { id: 'mine', isMine: true, edition: 2, websiteId: 'w1', publishedAt: null, expiresAt: null },
);

const questions = [
  {
    id: 'q1',
    authorName: 'Embla',
    text: 'Is the mailing list part of it?',
    askedAt: at(-3),
    answer: 'Yes, all 9,000 readers.',
    answeredAt: at(-2),
    isMine: false,
    isHidden: false,
    flags: null,
  },
  {
    id: 'q2',
    authorName: 'Gunnar',
    text: 'Which share of the traffic comes from search?',
    askedAt: at(-1),
    answer: null,
    answeredAt: null,
    isMine: false,
    isHidden: false,
    flags: null,
  },
];

const escrow = (status, over = {}) => ({
  id: 'e1',
  status,
  price: usd(41_000),
  isDirect: false,
  buyerConfirmedAt: null,
  sellerConfirmedAt: null,
  payUntil: at(6),
  paymentUrl: null,
  inspectFrom: at(2),
  inspectUntil: status === 'inspecting' ? at(2.5) : null,
  disputedBy: null,
  disputeText: null,
  outcome: null,
  decisionReason: null,
  toSeller: null,
  toBuyer: null,
  ...over,
});
const deal = (id, side, next, over = {}) => ({
  id,
  listingId: 'm1',
  listingTitle: listings[0].title,
  listingStatus: 'in_escrow',
  side,
  otherName: side === 'buyer' ? 'Jón Þórsson' : 'Embla',
  status: 'accepted',
  price: usd(41_000),
  turn: null,
  isOnHold: false,
  expiresAt: at(5),
  createdAt: at(-4),
  updatedAt: at(-1),
  escrowStatus: over.escrow?.status ?? null,
  escrow: null,
  escrowKind: 'real',
  next,
  buyerName: side === 'buyer' ? 'Sigrún Jónsdóttir' : 'Embla',
  sellerName: side === 'seller' ? 'Sigrún Jónsdóttir' : 'Jón Þórsson',
  ...over,
});
const deals = [
  deal('answer', 'seller', 'answer', { status: 'sent', turn: 'seller', listingStatus: 'active', price: usd(39_500) }),
  deal('pay', 'buyer', 'pay', { escrow: escrow('agreed', { paymentUrl: 'https://escrow.example/pay/1' }) }),
  deal('inspect', 'buyer', 'inspect', { escrow: escrow('inspecting') }),
  deal('dispute', 'admin', 'wait_for_decision', {
    escrow: escrow('disputed', {
      disputedBy: 'buyer',
      disputeText: 'The mailing list is missing, and the domain still belongs to someone else.',
    }),
    buyerName: 'Embla',
  }),
  deal('sold', 'seller', 'none', {
    listingStatus: 'sold',
    escrow: escrow('released', {
      outcome: 'split',
      decisionReason: 'The list was promised and is not there.',
      disputedBy: 'buyer',
      disputeText: 'No list.',
      toSeller: usd(36_000),
      toBuyer: usd(5000),
    }),
  }),
  deal('direct', 'buyer', 'confirm_handover', {
    listingStatus: 'under_offer',
    escrowKind: 'direct',
    escrow: escrow('confirmed', { isDirect: true, sellerConfirmedAt: at(-0.5) }),
  }),
  deal('direct-answer', 'seller', 'answer', {
    status: 'sent',
    turn: 'seller',
    listingStatus: 'active',
    escrowKind: 'direct',
  }),
  deal('direct-dispute', 'admin', 'wait_for_decision', {
    escrowKind: 'direct',
    escrow: escrow('disputed', {
      isDirect: true,
      sellerConfirmedAt: at(-2),
      disputedBy: 'buyer',
      disputeText: 'I paid, and the domain was never transferred.',
    }),
    buyerName: 'Embla',
  }),
  deal('direct-reminded', 'seller', 'wait_for_confirmation', {
    listingStatus: 'under_offer',
    escrowKind: 'direct',
    escrow: escrow('confirmed', { isDirect: true, sellerConfirmedAt: at(-8), inspectUntil: at(13) }),
  }),
  ...['direct-sold', 'direct-moved'].map((id) =>
    deal(id, 'buyer', 'none', {
      listingStatus: 'sold',
      escrowKind: 'direct',
      escrow: escrow('completed', { isDirect: true, sellerConfirmedAt: at(-2), buyerConfirmedAt: at(-1) }),
    }),
  ),
];
const moves = {
  sites: 1,
  subscribers: 86,
  links: 1204,
  siteKeys: 1,
  secretKeys: 2,
  domains: ['go.vpn-reviews-of-the-whole-north.example', 'links.vpnreview.example'],
  unverifiedDomains: 1,
  partners: ['Nordic Shoes', 'Direct deal with Hotels of the Westfjords'],
  channels: 3,
  connections: 2,
  conversions: 310,
  payouts: 4,
  files: 2,
  views: 5,
  reports: 1,
};
/** Of the sold website: what its seller can offer, what a buyer is offered, and what has moved. */
const transfer = ({ id, side }) => {
  const isMoved = id === 'direct-moved';
  return {
    status: side === 'seller' ? null : isMoved ? 'accepted' : 'proposed',
    side,
    canPropose: side === 'seller',
    websiteId: side === 'seller' || isMoved ? 'w1' : null,
    domain: 'vpnreview.example',
    at: side === 'seller' ? null : at(-0.5),
    isMoved,
    content: isMoved ? null : moves,
  };
};
const WAYS = {
  agreed: ['agreed', 'opened'],
  inspecting: ['agreed', 'opened', 'funded', 'delivered', 'inspection_began'],
  disputed: ['agreed', 'opened', 'funded', 'delivered', 'disputed'],
  released: ['agreed', 'opened', 'funded', 'delivered', 'disputed', 'decided', 'released'],
};
const DIRECT_WAYS = {
  confirmed: ['agreed', 'confirmed'],
  disputed: ['agreed', 'confirmed', 'disputed'],
  completed: ['agreed', 'confirmed', 'completed'],
};
const directHistory = (one) =>
  (DIRECT_WAYS[one.escrow.status] ?? []).map((kind, index) => ({
    number: index + 1,
    kind: `direct_deal.${kind}`,
    by: kind === 'agreed' ? 'system' : kind === 'confirmed' ? 'seller' : 'buyer',
    at: at(-3 + index / 3),
    detail: '',
  }));
const history = (one) => [
  { number: 1, kind: 'offer.sent', by: 'buyer', at: at(-4), detail: '$39,500' },
  ...(one.escrow?.isDirect ? directHistory(one) : []),
  ...((one.escrow?.isDirect ? undefined : WAYS[one.escrow?.status]) ?? []).map((kind, index) => ({
    number: index + 1,
    kind: `escrow.${kind}`,
    by: ['opened', 'funded', 'released'].includes(kind) ? 'provider' : 'buyer',
    at: at(-3 + index / 3),
    detail: '',
  })),
];
const messages = [
  {
    number: 1,
    by: 'buyer',
    authorName: 'Embla',
    isMine: false,
    text: 'A site that I have been reading for years. Would you take a little less, and help with the move?',
    price: usd(39_500),
    at: at(-4),
  },
  {
    number: 2,
    by: 'seller',
    authorName: 'Sigrún Jónsdóttir',
    isMine: true,
    text: 'Of course I help. Two days of my time are included.',
    price: null,
    at: at(-3.5),
  },
];
const inFull = new Set(['escrow', 'escrowKind', 'next', 'buyerName', 'sellerName']);
const bare = (offer) => Object.fromEntries(Object.entries(offer).filter(([name]) => !inFull.has(name)));
const saved = [
  { id: 's1', search: 'reviews', niche: 'vpn', minPrice: null, maxPrice: 50_000, verified: true, createdAt: at(-9) },
];
const disputed = {
  offerId: 'dispute',
  escrowId: 'e1',
  listingId: 'm1',
  status: 'disputed',
  isDirect: false,
  price: usd(41_000),
  buyerName: 'Embla',
  sellerName: 'Jón Þórsson',
  disputedBy: 'buyer',
  disputedAt: at(-1),
};
const call = {
  escrowId: 'e1',
  step: 'settle',
  state: 'failed',
  attempts: 7,
  error: 'The escrow provider does not answer',
  nextAt: at(0.1),
};

/** `none`: nothing is for sale yet. Answers [body, status, type], or null for what is not of the marketplace. */
export function marketplaceAnswer(key, query, none) {
  const [method, path] = key.split(' ');
  if (!/\/marketplace\//.test(path)) return null;
  const some = (rows) => [none ? [] : rows];
  const [, , , what, id, part] = path.split('/');
  if (what === 'images') return [picture(id), 200, 'image/svg+xml'];
  if (part === 'reviewer')
    return [{ id, url: `https://althing.example/marketplace/review/${id}#kq3Zx0`, expiresAt: at(14) }, 201];
  if (method !== 'GET') return [{ id, status: 'draft', edition: 3, images: HASHES }, 200];
  if (path.startsWith('/api/admin/marketplace/')) {
    const name = path.split('/').at(-1);
    return some(
      {
        listings: listings.slice(0, 3).map((one) => ({ ...one, status: query.status ?? 'in_review' })),
        disputes: [disputed],
        questions: questions.map((one) => ({ ...one, listingId: 'm1', flags: 2 })),
        'escrow-calls': [call],
      }[name] ?? [],
    );
  }
  if (what === 'deal-terms') return [{ escrowKind: none ? 'none' : 'direct', directDeals: !none }];
  if (what === 'sellers') return [none ? { ...SELLER, activeListings: 0, verifiedListings: 0 } : SELLER];
  if (what === 'my') {
    const mine = [draft, { ...listings[1], status: 'in_review' }, { ...listings[4], status: 'rejected' }, listings[3]];
    const offers = deals.filter((one) => one.side === (query.side ?? 'buyer')).map(bare);
    return some({ listings: mine, offers, watches: listings.slice(0, 2), 'saved-searches': saved }[id]);
  }
  if (what === 'offers') {
    const one = deals.find((item) => item.id === id) ?? deals[0];
    if (part === 'transfer') return [transfer(one)];
    return [part === 'messages' ? messages : part === 'history' ? history(one) : one];
  }
  if (part === 'questions') return some(questions);
  if (part === 'history')
    return [
      [
        { number: 1, kind: 'listing.drafted', by: 'seller', at: at(-30), detail: '' },
        { number: 2, kind: 'listing.approved', by: 'admin', at: at(-20), detail: '' },
      ],
    ];
  if (id === 'mine') return [draft];
  if (id === 'mine-in-review') return [{ ...draft, id, status: 'in_review' }];
  if (id === 'to-review') return [full({ ...listings[1], status: 'in_review' }, { id, edition: 2, isReviewer: true })];
  if (id === 'invited') return [full(listings[1], { id })];
  if (id) {
    const one = listings.find((item) => item.id === id) ?? listings[0];
    return [full(one, { edition: 2, ...(id === 'm5' ? { status: 'in_review' } : {}) })];
  }
  const search = (query.search ?? '').toLowerCase();
  return some(
    listings.filter(
      (one) =>
        (!query.seller || one.status === 'active') &&
        (!query.niche || one.niche === query.niche) &&
        one.title.toLowerCase().includes(search),
    ),
  );
}

function picture(hash) {
  const hue = { a: 220, b: 160, c: 30 }[hash[0]];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="540"><rect width="960" height="540" fill="hsl(${hue} 60% 88%)"/><rect x="60" y="60" width="840" height="70" rx="10" fill="hsl(${hue} 55% 45%)"/>${[0, 1, 2].map((index) => `<rect x="${60 + index * 290}" y="170" width="260" height="300" rx="10" fill="#fff"/><rect x="${80 + index * 290}" y="190" width="220" height="120" rx="6" fill="hsl(${hue} 50% ${70 - index * 8}%)"/>`).join('')}</svg>`;
}
