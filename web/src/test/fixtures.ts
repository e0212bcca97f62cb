import type { Breakdown, BreakdownRow } from '@/features/analytics/api/breakdown';
import type { SavedView, ViewContent } from '@/features/analytics/api/views';
import type { SavedQuery } from '@/features/sql/api/queries';
import type { components } from '@/lib/api/schema';
import type {
  Account,
  AuditEntry,
  Activity,
  AdminLink,
  AdminPartner,
  AdminPartnerRequest,
  ClickPoint,
  Conversion,
  ConversionTotals,
  Delivery,
  Figures,
  Link,
  LinkSplit,
  LiveData,
  LiveEvent,
  Overview,
  Partner,
  SocialChannel,
  SocialRow,
  Terms,
  TrackedClick,
  Website,
} from '@/lib/api/types';
import { addDays } from '@/lib/dates';

export const USER = { id: 'u1', email: 'sigrun@example.com', name: 'Sigrún', roles: ['admin'] };

export const account = (over: Partial<Account> = {}): Account => ({
  ...USER,
  username: USER.name,
  createdAt: '2026-08-01T10:00:00Z',
  displayName: '',
  company: 'Althing ehf.',
  timezone: 'UTC',
  twoFactor: false,
  recoveryCodesLeft: 0,
  hasPassword: true,
  passwordChangedAt: null,
  ...over,
});

type Schemas = components['schemas'];
type WebsitesSummary = Schemas['WebsitesSummary'];
type Movers = Schemas['Movers'];
type OpenItems = Schemas['OpenItems'];
type ListedWebsite = Schemas['ListedWebsite'];
type ConversionInFull = Schemas['ConversionInFull'];
type Site = Schemas['SiteDetails'];

export const website = (over: Partial<ListedWebsite> = {}): ListedWebsite => ({
  id: 'w1',
  domain: 'vpnreview.is',
  timezone: 'Atlantic/Reykjavik',
  currency: 'USD',
  attributionModel: 'last_click',
  siteKey: null,
  createdAt: '2026-08-01T10:00:00Z',
  firstEventAt: null,
  maxClaimAmount: 500_000,
  maxClaimsPerClick: 5,
  linkClickIds: false,
  linkImpressionsEvery: 0,
  txidScope: 'website',
  keepAdClickIds: false,
  adClickIdDays: 90,
  adClickIdsNeedConsent: false,
  ...over,
});

export const figures = (over: Partial<Figures> = {}): Figures => ({
  clicks: { total: 1200, unique: 900 },
  pageviews: 5000,
  visitors: 2000,
  conversions: { total: 48, pending: 18, approved: 30, rejected: 4, reversed: 2, average_commission: 20.5 },
  revenue: { total: 984.25, pending: 300, approved: 684.25, reversed: 41, active_partners: 3 },
  conversion_rate: 4,
  ...over,
});

export const overview = (over: Partial<Overview> = {}): Overview => ({
  range: { from: '2026-11-14', to: '2026-11-20', timezone: 'Atlantic/Reykjavik', bucket: 'day' },
  currency: 'USD',
  ...figures(),
  previous: figures({ clicks: { total: 1000, unique: 800 }, conversion_rate: 5 }),
  previousRange: { from: '2026-11-07', to: '2026-11-13', timezone: 'Atlantic/Reykjavik', bucket: 'day' },
  previousHasData: true,
  previousDataFrom: null,
  lastEventAt: '2026-11-20T12:00:00Z',
  ...over,
});

/** Each website has $10.00 more revenue than the one before, and as many clicks as its place. */
export const websitesSummary = (websites: readonly Website[], currency: string | null): WebsitesSummary => {
  const shown = currency ?? 'USD';
  const zeros = Array.from({ length: 29 }, () => 0);
  const rows = websites.map(({ id, domain, timezone, currency: own }, index) => {
    const revenue = { amount: 1000 * (index + 1), currency: own };
    const converted = own === shown ? revenue : null;
    const period = {
      clicks: index + 1,
      visitors: 1,
      conversions: index,
      revenue,
      converted,
      notConverted: converted ? null : { amount: revenue, conversions: index, lacking: '2026-11-20' },
      previous: {
        from: '2026-11-13',
        to: '2026-11-13',
        clicks: 1,
        conversions: 1,
        revenue: { amount: 500, currency: own },
        converted: converted && { amount: 500, currency: own },
      },
    };
    return {
      websiteId: id,
      domain,
      timezone,
      currency: own,
      today: period,
      yesterday: period,
      week: period,
      month: period,
      quarter: { ...period, visitors: null },
      series: { from: '2026-10-22', clicks: [...zeros, index + 1], revenue: [...zeros, revenue.amount] },
    };
  });
  const rated = rows.filter((row) => row.today.converted !== null);
  const sum = rated.reduce((all, row) => all + row.today.revenue.amount, 0);
  const compared = 500 * rated.length;
  const total = {
    clicks: rows.reduce((all, row) => all + row.today.clicks, 0),
    visitors: rows.length,
    conversions: rows.reduce((all, row) => all + row.today.conversions, 0),
    revenue: { amount: sum, currency: shown },
    notConverted: rows.flatMap((row) => row.today.notConverted ?? []),
    difference: { amount: sum - compared, currency: shown },
    compared: { amount: compared, currency: shown },
  };
  return {
    currency: shown,
    rates: [],
    websites: rows,
    totals: { today: total, yesterday: total, week: total, month: total, quarter: { ...total, visitors: null } },
    omitted: 0,
  };
};

/** Partner p1 of the first website fell; nothing else moved. */
export const movers = (websites: readonly Website[], period: Movers['period'], currency: string | null): Movers => {
  const shown = currency ?? 'USD';
  const money = (amount: number) => ({ amount, currency: shown });
  const rows = websites.slice(0, 1).map(({ id, domain }) => ({
    websiteId: id,
    domain,
    value: 'p1',
    label: 'NordVPN',
    revenue: money(15_575),
    previous: money(59_275),
    difference: money(-43_700),
    conversions: 7,
    previousConversions: 22,
    from: '2026-11-16',
    to: '2026-11-20',
    comparedFrom: '2026-11-09',
    comparedTo: '2026-11-13',
  }));
  return {
    currency: shown,
    period,
    dimensions: ['partner', 'page', 'source', 'country', 'link'].map((by) => ({
      by,
      rows: by === 'partner' ? rows : [],
    })),
    notConverted: [],
  };
};

export const openItems = (websites: readonly Website[], currency: string | null): OpenItems => {
  const shown = currency ?? 'USD';
  const of = (count: number, amount: number) => ({
    count,
    amount: { amount, currency: shown },
    notConverted: [],
    notConvertedCount: 0,
  });
  return {
    currency: shown,
    pending: of(3, 4200),
    owed: of(2, 20_000),
    overdue: of(1, 3000),
    websites: websites.slice(0, 1).map(({ id, domain, currency: own }) => ({
      websiteId: id,
      domain,
      pending: 3,
      pendingAmount: { amount: 4200, currency: own },
      oldestPending: '2026-11-02T10:00:00Z',
      owed: { amount: 20_000, currency: own },
      overduePartners: 1,
      overdue: { amount: 3000, currency: own },
    })),
  };
};

export const days = (first: string, count: number): ClickPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    date: addDays(first, index),
    clicks: 100 + index,
    unique: 80,
    visitors: 200,
    pageviews: 400,
    conversions: 4,
    revenue: 50 + index,
  }));

const TERMS: Terms = {
  kind: 'percent',
  percent: 12.5,
  amount: null,
  currency: null,
  tiersBy: 'conversions',
  tiersCurrency: null,
  tiers: [],
  holdDays: 0,
  autoApproveDays: null,
  text: '12.5% of the sale',
};

export const partner = (over: Partial<Partner> = {}): Partner => ({
  id: 'p1',
  name: 'NordVPN',
  slug: 'nordvpn',
  baseUrl: 'https://nordvpn.com/',
  isActive: true,
  postbackPreset: null,
  clickIdParameter: null,
  ownClickIdParameter: null,
  commission: 12.5,
  flatCommission: null,
  terms: TERMS,
  description: '',
  cookieDays: 30,
  isPrivate: false,
  createdAt: '2026-08-01T10:00:00Z',
  ...over,
});

export const partnerRequest = (over: Partial<AdminPartnerRequest> = {}): AdminPartnerRequest => ({
  id: 'r1',
  name: 'Fjord Outdoor',
  website: 'https://fjord-outdoor.example/',
  note: 'It is in the Awin network.',
  proposedId: null,
  state: 'open',
  requestedAt: '2026-11-19T10:00:00Z',
  decidedAt: null,
  partnerId: null,
  reason: '',
  accountId: 'u2',
  accountName: 'Njáll',
  ...over,
});

export const link = (over: Partial<Link> = {}): Link => ({
  id: 'l1',
  websiteId: 'w1',
  partnerId: 'p1',
  partnerName: 'NordVPN',
  slug: 'nord',
  url: 'http://t.example/go/nord',
  destination: 'https://nordvpn.com/',
  coupon: null,
  isActive: true,
  rules: [],
  variants: [],
  winner: null,
  expiresAt: null,
  fallback: null,
  passesClickId: true,
  tags: [],
  folder: null,
  isArchived: false,
  utm: {},
  channelId: null,
  createdAt: '2026-09-01T00:00:00Z',
  sub1: '',
  sub2: '',
  sub3: '',
  sub4: '',
  sub5: '',
  sub6: '',
  sub7: '',
  sub8: '',
  sub9: '',
  sub10: '',
  clicks: 412,
  conversions: 9,
  earnings: { amount: 12_345, currency: 'USD' },
  ...over,
});

export const socialChannel = (over: Partial<SocialChannel> = {}): SocialChannel => ({
  id: 's1',
  websiteId: 'w1',
  network: 'instagram',
  handle: 'fjord.tests',
  name: '@fjord.tests',
  url: 'https://www.instagram.com/fjord.tests',
  websiteUrl: 'https://example.com/?utm_source=instagram&utm_medium=social&utm_campaign=profile',
  addedAt: '2026-11-20T00:00:00Z',
  links: 2,
  clicks: 340,
  conversions: 7,
  revenue: { amount: 8_750, currency: 'USD' },
  ...over,
});

/** A channel of the report; `postId` and the like make it a post. */
export const socialRow = (over: Partial<SocialRow> = {}): SocialRow => ({
  kind: 'channel',
  channelId: 's1',
  postId: null,
  network: 'instagram',
  name: '@fjord.tests',
  url: 'https://www.instagram.com/fjord.tests',
  picture: null,
  publishedAt: null,
  utmContent: null,
  followers: 1200,
  views: 10_000,
  networkClicks: null,
  asOf: null,
  clicks: 340,
  conversions: 7,
  revenueAmount: 8_750,
  currency: 'USD',
  clickRate: 3.4,
  conversionRate: 2.06,
  ...over,
});

export const conversion = (over: Partial<ConversionInFull> = {}): ConversionInFull => ({
  id: 'c1',
  websiteId: 'w1',
  partnerId: 'p1',
  partnerName: 'NordVPN',
  linkId: 'l1',
  clickId: 'k1',
  event: 'sale',
  txid: 'ORD-1',
  status: 'pending',
  amount: { amount: 10_000, currency: 'USD' },
  commission: { amount: 3000, currency: 'USD' },
  reversed: { amount: 0, currency: 'USD' },
  reason: null,
  attribution: 'click_id',
  occurredAt: '2026-11-20T12:00:00Z',
  recordedAt: '2026-11-20T12:00:01Z',
  decidedAt: null,
  approvesAt: null,
  payableAt: null,
  kind: 'sale',
  reversedCommission: { amount: 0, currency: 'USD' },
  reportedBy: 'postback',
  customer: null,
  clickedAt: '2026-11-20T11:00:00Z',
  conflicts: 0,
  keyKind: 'postback',
  addressClass: '',
  clickBotReason: null,
  unread: [],
  otherEvents: [],
  adjustment: null,
  linkSlug: 'nord',
  country: 'IS',
  device: 'desktop',
  source: '',
  subs: {},
  coupon: '',
  network: '',
  networkTxid: '',
  isVoid: false,
  decision: null,
  ...over,
});

export const totals = (rows: readonly Conversion[]): ConversionTotals => ({
  count: rows.length,
  unattributed: rows.filter((row) => !row.partnerId).length,
  amounts: rows.length ? [{ amount: rows.reduce((sum, row) => sum + row.amount.amount, 0), currency: 'USD' }] : [],
  statuses: (['pending', 'approved', 'rejected', 'reversed'] as const).flatMap((status) => {
    const found = rows.filter((row) => row.status === status);
    const commission = found.reduce((sum, row) => sum + row.commission.amount, 0);
    const unattributed = found.filter((row) => !row.partnerId).length;
    return found.length
      ? [{ status, count: found.length, unattributed, commission: { amount: commission, currency: 'USD' } }]
      : [];
  }),
  at: '2026-11-21T00:00:00Z',
});

export const outcomes = (over: Partial<Delivery['outcomes']> = {}): Delivery['outcomes'] => ({
  accepted: 0,
  duplicate: 0,
  bot: 0,
  suspicious: 0,
  prefetch: 0,
  spam_referrer: 0,
  unknown_site: 0,
  origin_not_allowed: 0,
  throttled: 0,
  invalid: 0,
  too_large: 0,
  too_old: 0,
  not_allowed: 0,
  ...over,
});

export const liveEvent = (over: Partial<LiveEvent> = {}): LiveEvent => ({
  id: 'e1',
  type: 'pageview',
  at: '2026-11-20T12:00:00Z',
  country: 'IS',
  device: 'desktop',
  path: '/',
  partnerName: null,
  source: '',
  ...over,
});

export const delivery = (over: Partial<Delivery> = {}): Delivery => ({
  bucket: 'day',
  outcomes: outcomes({ accepted: 90, duplicate: 3, bot: 5, origin_not_allowed: 2 }),
  series: [{ at: '2026-11-20T00:00:00Z', ...outcomes({ accepted: 90, duplicate: 3, bot: 5, origin_not_allowed: 2 }) }],
  reasons: [
    {
      outcome: 'invalid',
      code: 'unknown_partner',
      message: 'partner is not the slug of a partner',
      endpoint: '/postback',
      partner: 'hosterr',
      count: 4,
    },
  ],
  partners: [
    { partner: 'hoster', name: 'Hoster', accepted: 7, duplicate: 2, rejected: 0 },
    { partner: 'hosterr', name: null, accepted: 0, duplicate: 0, rejected: 4 },
  ],
  refusals: [
    {
      id: '00000000-0000-4000-8000-000000000071',
      isReplayable: false,
      at: '2026-11-20T10:00:00Z',
      partner: '',
      outcome: 'origin_not_allowed',
      code: 'origin_not_allowed',
      message: "This site key may not be used from this page: its origin is not in the key's list.",
      endpoint: 'POST /track',
      count: 2,
      sample: '{}',
    },
    {
      id: '00000000-0000-4000-8000-000000000072',
      isReplayable: true,
      at: '2026-11-20T09:00:00Z',
      partner: 'hosterr',
      outcome: 'invalid',
      code: 'unknown_partner',
      message: 'partner is not the slug of a partner',
      endpoint: '/postback',
      count: 1,
      sample: '{"txid":"T-1"}',
    },
  ],
  adIdsNotKept: 0,
  ...over,
});

export const live = (over: Partial<LiveData> = {}): LiveData => ({
  asOf: '2026-11-20T12:00:00Z',
  activeVisitors: 0,
  perMinute: [],
  recent: [],
  top: { page: [], source: [], country: [], event: [] },
  ...over,
});

export const activity = (over: Partial<Activity> = {}): Activity => ({
  id: 'a1',
  type: 'partner.registered',
  description: 'Partner NordVPN was added',
  timestamp: '2026-11-20T12:00:00Z',
  subjectId: 'p1',
  websiteId: null,
  ...over,
});

export const adminPartner = (over: Partial<AdminPartner> = {}): AdminPartner => ({
  id: 'p1',
  name: 'NordVPN',
  slug: 'nordvpn',
  baseUrl: 'https://nordvpn.com/',
  commission: 12.5,
  flatCommission: null,
  description: 'NordVPN affiliate program',
  isActive: true,
  terms: TERMS,
  links: 3,
  conversions: 2,
  cookieDays: 30,
  postbackPreset: null,
  clickIdParameter: null,
  ownClickIdParameter: null,
  isPrivate: false,
  ownerId: null,
  ownerName: null,
  createdAt: '2026-08-01T10:00:00Z',
  updatedAt: '2026-08-01T10:00:00Z',
  ...over,
});

export const auditEntry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  seq: 1,
  at: '2026-11-20T12:00:00Z',
  action: 'account.signed_in',
  outcome: 'done',
  actorId: 'u1',
  actorName: 'Sigrún',
  accountId: 'u1',
  accountName: 'Sigrún',
  subjectId: null,
  address: '82.221.0.0/24',
  device: 'Firefox',
  details: {},
  ...over,
});

export const adminLink = (over: Partial<AdminLink> = {}): AdminLink => ({
  ...link(),
  domain: 'vpnreview.is',
  ownerId: 'u2',
  ownerName: 'Jón',
  ownerEmail: 'jon@example.com',
  ...over,
});

export const trackedClick = (over: Partial<TrackedClick> = {}): TrackedClick => ({
  id: 'k1',
  occurredAt: '2026-11-20T12:00:00Z',
  websiteId: 'w1',
  domain: 'vpnreview.is',
  partnerId: 'p1',
  partnerName: 'NordVPN',
  linkId: 'l1',
  slug: 'nord',
  clickId: 'C1',
  route: '',
  country: 'IS',
  device: 'mobile',
  browser: 'Firefox',
  os: 'Android',
  source: 'Google',
  sub1: '',
  isBot: false,
  botReason: '',
  conversions: [
    {
      id: 'c1',
      kind: 'sale',
      txid: 'ORD-1',
      status: 'approved',
      amount: { amount: 20_000, currency: 'USD' },
      commission: { amount: 2500, currency: 'USD' },
      occurredAt: '2026-11-20T13:00:00Z',
    },
  ],
  ...over,
});

const metrics = (clicks: number, revenue: number) => ({
  clicks,
  visitors: clicks * 2,
  conversions: clicks / 25,
  pending: clicks / 50,
  approved: clicks / 50,
  rejected: 0,
  reversed: 0,
  events: clicks * 5,
  revenue,
  epc: revenue / clicks,
  conversion_rate: 4,
  pageviews: clicks * 4,
  visits: clicks * 2,
  views_per_visit: 2,
  bounce_rate: 41.5,
  visit_duration: 75,
  click_through_rate: 25,
  impressions: clicks * 10,
  click_rate: 10,
  revenue_per_1000_visits: 500,
  cost: 100,
  profit: revenue - 100,
  roi: revenue - 100,
  roas: revenue / 100,
  cost_per_click: 100 / clicks,
  cost_per_conversion: 100 / (clicks / 25),
  break_even_epc: 100 / clicks,
});

const VALUES: Record<string, readonly string[]> = {
  page: ['/a', '/b|c'],
  country: ['IS', 'SG'],
  source: ['google', ''],
  weekday_hour: ['1-9', '7-23'],
};

/** Two rows of 900 and 300 clicks, the second one on the second page when pages have one row. */
export function breakdown(query: URLSearchParams): Breakdown {
  const by = query.get('by')?.split(',') ?? [];
  const rows = [0, 1].map((place): BreakdownRow => {
    const values = Object.fromEntries(by.map((name) => [name, VALUES[name]?.[place] ?? `${name} ${place}`]));
    return {
      values,
      labels: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || '(not set)'])),
      label: Object.values(values)
        .map((value) => value || '(not set)')
        .join(' · '),
      ...metrics(place === 0 ? 900 : 300, place === 0 ? 1800 : 45),
      previous: query.get('compare') === 'none' ? null : metrics(place === 0 ? 750 : 300, 45),
    };
  });
  return {
    range: { from: '2026-10-22', to: '2026-11-20', timezone: 'UTC', bucket: 'day' },
    currency: 'USD',
    by,
    rows: query.get('cursor') ? rows.slice(1) : query.get('search') === 'more' ? rows.slice(0, 1) : rows,
    totals: { ...metrics(1200, 1845), previous: null },
    nextCursor: query.get('search') === 'more' && !query.get('cursor') ? 'two' : null,
    costSpread: /cost|profit|ro/.test(query.get('metrics') ?? '') ? ['days', 'traffic'] : [],
  };
}

export const viewContent = (changes: Partial<ViewContent> = {}): ViewContent => ({
  filters: ['country:is:DE|AT'],
  bots: 'exclude',
  timeRange: '30d',
  fromDate: null,
  toDate: null,
  compare: 'none',
  compareFrom: null,
  compareTo: null,
  matchWeekdays: false,
  metric: 'revenue',
  barMetric: 'clicks',
  tabs: { pages: 'entry_page' },
  columns: ['clicks', 'epc'],
  details: [],
  ...changes,
});
export const savedView = (changes: Partial<SavedView> = {}): SavedView => ({
  id: 'v1',
  kind: 'view',
  name: 'Germany and Austria',
  websiteId: null,
  isDefault: false,
  state: viewContent(),
  ...changes,
});

export const savedQuery = (over: Partial<SavedQuery> = {}): SavedQuery => ({
  id: 's1',
  title: 'Kept',
  sql: 'SELECT 6',
  version: 2,
  isShared: false,
  isOwn: true,
  mayChange: true,
  authorName: '',
  createdAt: '2026-11-20T10:00:00Z',
  changedAt: '2026-11-20T10:00:00Z',
  ...over,
});

export const site = (over: Partial<Site> = {}): Site => ({
  id: 's1',
  websiteId: 'w1',
  slug: 'tents',
  domainId: null,
  documentVersion: 1,
  published: null,
  name: 'Tents',
  address: 'https://tents.example/',
  domain: null,
  pages: 1,
  publishedAt: null,
  hasChanges: true,
  createdAt: '2026-11-20T10:00:00Z',
  updatedAt: '2026-11-20T10:00:00Z',
  document: { name: 'Tents', theme: {}, navigation: [], pages: [] },
  pageStates: [],
  ...over,
});

/** A variant of a split that has earned something. */
export const splitVariant = (
  number: number,
  name = '',
  over: Partial<LinkSplit['variants'][number]> = {},
): LinkSplit['variants'][number] => ({
  number,
  name,
  destination: 'https://nordvpn.com/',
  weight: 1,
  partnerId: null,
  partnerName: 'NordVPN',
  getsTraffic: true,
  share: 50,
  clicks: 900,
  conversions: 30,
  revenue: 30_000,
  epc: 33.3,
  judgedEpc: 33.3,
  epcLow: 20,
  epcHigh: 46,
  ...over,
});

export const linkSplit = (over: Partial<LinkSplit> = {}): LinkSplit => ({
  currency: 'USD',
  firstDay: '2026-11-01',
  judgedUntil: '2026-11-28',
  settlingDays: 2,
  verdict: 'collecting',
  leader: null,
  winner: null,
  variants: [splitVariant(1, 'Old page'), splitVariant(4)],
  comparisons: [],
  missingDays: 0,
  missingBuyers: [],
  moreBuyers: null,
  shifting: { isOn: false, minShare: 10, maxStep: 10 },
  shifts: [],
  ...over,
});
