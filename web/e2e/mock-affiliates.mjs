// Answers for the admin's affiliate screens.
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
export const terms = (percent, tiers = []) => ({
  kind: 'percent',
  percent,
  amount: null,
  currency: null,
  tiersBy: 'conversions',
  tiersCurrency: null,
  holdDays: 0,
  autoApproveDays: null,
  tiers: tiers.map(([atLeast, rate]) => ({ atLeast, percent: rate, amount: null })),
  text: [
    `${percent}% of the sale`,
    ...tiers.map(([atLeast, rate]) => `${rate}% from ${atLeast} conversions a month`),
  ].join('; '),
});
const USD = (amount) => ({ amount, currency: 'USD' });

const trackedClicks = (partners) =>
  Array.from({ length: 30 }, (_, index) => ({
    id: `k${index}`,
    occurredAt: at(index * 3),
    websiteId: 'w1',
    domain: 'vpnreview.is',
    partnerId: 'p1',
    partnerName: partners[index % 5].name,
    linkId: `l${index % 4}`,
    slug: `best-${index % 4}`,
    clickId: `C${index}`,
    route: ['', 'rule 1', 'variant 2', 'fallback'][index % 4],
    country: ['IS', 'DE', 'ZZ'][index % 3],
    device: ['desktop', 'mobile', 'tablet'][index % 3],
    browser: 'Firefox',
    os: 'Linux',
    source: index % 2 ? 'newsletter' : '',
    sub1: index % 3 ? '' : 'sidebar',
    isBot: index % 7 === 3,
    botReason: index % 7 === 3 ? 'declared_crawler' : '',
    conversions:
      index % 4 === 0
        ? [
            {
              id: `c${index}`,
              kind: 'sale',
              txid: `ORD-${index}`,
              status: ['pending', 'approved', 'rejected', 'reversed'][(index / 4) % 4],
              amount: USD(20_000),
              commission: USD(2500),
              occurredAt: at(1),
            },
          ]
        : [],
  }));

/** A partner that only the member sees. */
export const ownPartner = {
  id: 'p-own',
  name: 'Fjord Outdoor',
  slug: 'fjord-outdoor-7k2m9xqp',
  baseUrl: 'https://www.awin1.com/',
  commission: 8,
  flatCommission: null,
  terms: terms(8),
  description: '',
  isActive: true,
  isPrivate: true,
  cookieDays: 30,
  postbackPreset: 'awin',
  clickIdParameter: 'clickref',
  ownClickIdParameter: null,
  createdAt: '2026-09-12T08:00:00Z',
};

const request = (id, name, over = {}) => ({
  id,
  name,
  website: `https://${id}.example/`,
  note: 'It is in the Awin network and pays 8%.',
  proposedId: null,
  state: 'open',
  requestedAt: at(1500),
  decidedAt: null,
  partnerId: null,
  reason: '',
  accountId: 'u2',
  accountName: 'Njáll Þorgeirsson',
  ...over,
});
export const partnerRequests = [
  request('wool', 'Lopi Wool'),
  request('tea', 'Highland Tea', { state: 'declined', reason: 'The program has closed.' }),
  request('boots', 'Lava Boots', { state: 'accepted', partnerId: 'p3' }),
];

/** The latest clicks of one link. */
export const linkClicks = (partners) => trackedClicks(partners).slice(0, 12);

export function affiliates(key, query, partners, links, nothing) {
  const adminPartners = partners.map((partner, index) => ({
    ...partner,
    baseUrl: `https://www.${partner.slug}.example/`,
    commission: 10 + index,
    flatCommission: null,
    terms: terms(10 + index, index === 1 ? [[50, 15]] : []),
    description: `${partner.name} affiliate program`,
    cookieDays: 30,
    postbackPreset: index % 2 ? 'awin' : null,
    clickIdParameter: index % 2 ? 'clickref' : null,
    ownClickIdParameter: null,
    links: index,
    conversions: index * 3,
    ownerId: index === 4 ? 'u2' : null,
    ownerName: index === 4 ? 'Njáll Þorgeirsson' : null,
    createdAt: at(40_000 * (index + 1)),
    updatedAt: at(60),
  }));
  const ofTheLink = { partnerId: null, partnerName: null, getsTraffic: true };
  const adminLinks = links.map((link, index) => ({
    ...link,
    domain: 'vpnreview.is',
    ownerId: 'u1',
    ownerName: 'Sigrún Jónsdóttir',
    ownerEmail: 'sigrun@example.com',
    isActive: index !== 2,
    fallback: index === 1 ? 'https://vpnreview.is/' : null,
    expiresAt: index === 1 ? '2030-01-01T00:00:00Z' : null,
    rules: index === 0 ? [{ countries: ['IS', 'NO'], devices: ['mobile'], destination: link.destination }] : [],
    variants:
      index === 3
        ? [
            { number: 1, name: '', destination: link.destination, weight: 1, ...ofTheLink },
            { number: 2, name: 'Long page', destination: link.destination, weight: 3, ...ofTheLink },
          ]
        : [],
    winner: null,
  }));
  const clicks = trackedClicks(partners);
  const happened = (id, type, description, websiteId = null) => ({
    id,
    type,
    description,
    timestamp: at(7),
    subjectId: 's1',
    websiteId,
  });
  const answers = {
    'GET /api/admin/analytics': {
      totalClicks: 1_204_113,
      totalConversions: 4821,
      conversionRate: 0.4,
      totalRevenue: 98_412.5,
      currency: 'USD',
      rates: nothing ? [] : [{ currency: 'EUR', rate: '1.0825', on: '2026-11-20' }],
      notConverted: nothing ? [] : [{ amount: 1_539_549, currency: 'ISK' }],
    },
    'GET /api/admin/recent-activity': nothing
      ? []
      : [
          happened('a1', 'conversion.recorded', 'A sale of 200.00 USD was reported'),
          happened('a2', 'partner.commission_changed', 'A partner’s commission was changed'),
          happened('a3', 'link.created', 'Link /go/best-vpn was created'),
          happened('a4', 'website.connected', 'Website vpnreview.is was connected', 'w1'),
          happened('a5', 'account.registered', 'A new account was registered'),
        ],
    'GET /api/admin/partners': nothing ? [] : adminPartners,
    'GET /api/admin/partners/performance': nothing
      ? []
      : partners.slice(0, 8).map((partner, index) => ({
          partnerId: partner.id,
          clicks: 18_240 - index * 2_130,
          conversions: 214 - index * 27,
          revenue: 9_812.4 - index * 1_140.7,
          epc: 0.54 - index * 0.04,
          currency: 'USD',
          notConverted: [],
        })),
    'GET /api/admin/partner-requests': nothing ? [] : partnerRequests.slice(0, 1),
    'GET /api/admin/links': nothing ? [] : adminLinks.filter((link) => !query.linkId || link.id === query.linkId),
    'GET /api/admin/clicks': nothing ? [] : clicks,
  };
  if (/^GET \/api\/admin\/partners\/[^/]+\/terms$/.test(key))
    return [12.5, 10].map((percent, index) => ({
      effectiveAt: at(900 * (index + 1)),
      state: ['in_force', 'past'][index],
      commission: percent,
      flatCommission: null,
      terms: terms(percent),
    }));
  return answers[key];
}
