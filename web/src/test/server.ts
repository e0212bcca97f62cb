// The API as the tests see it; changed per test with `use` or by writing to `state`.
import { setupServer } from 'msw/node';
import type { components } from '@/lib/api/schema';
import type { Insight } from '@/features/insights/api/insights';
import type {
  About,
  Account,
  Activity,
  AdminLink,
  AdminPartner,
  AdminPartnerRequest,
  ClickPoint,
  CountryPerformance,
  CustomDomain,
  Delivery,
  InviteCode,
  ExcludedTraffic,
  Link,
  Overview,
  Partner,
  PartnerPerformance,
  PartnerRequest,
  SocialChannel,
  SocialRow,
  TrackedClick,
} from '@/lib/api/types';
import { PROVIDERS } from '@/lib/session/sign-in-providers';
import * as make from './fixtures';
import { http, json, raw, type Ok, type PathsWith } from './http';

type Schemas = components['schemas'];

interface State {
  account: Account;
  invites: InviteCode[];
  accessTokens: Schemas['AccessToken'][];
  domains: CustomDomain[];
  websites: Schemas['ListedWebsite'][];
  conversions: Schemas['ConversionInFull'][];
  links: Link[];
  socialChannels: SocialChannel[];
  socialReport: SocialRow[];
  partners: Partner[];
  overview: Overview;
  clicks: ClickPoint[];
  delivery: Delivery;
  insights: Insight[];
  activity: Activity[];
  adminPartners: AdminPartner[];
  partnerTotals: Schemas['PartnerTotals'][];
  partnerRequests: PartnerRequest[];
  adminPartnerRequests: AdminPartnerRequest[];
  adminLinks: AdminLink[];
  trackedClicks: TrackedClick[];
  /** Every request, as "METHOD path?query". */
  seen: { line: string; headers: Headers; body: unknown }[];
}

export const state = {} as State;

export function resetState(): void {
  Object.assign(state, {
    account: make.account(),
    invites: [],
    accessTokens: [],
    domains: [],
    websites: [make.website()],
    conversions: [make.conversion()],
    links: [make.link()],
    socialChannels: [],
    socialReport: [],
    partners: [make.partner()],
    overview: make.overview(),
    clicks: make.days('2026-11-14', 7),
    delivery: make.delivery(),
    insights: [],
    activity: [make.activity()],
    adminPartners: [make.adminPartner()],
    partnerTotals: [],
    partnerRequests: [],
    adminPartnerRequests: [],
    adminLinks: [make.adminLink()],
    trackedClicks: [make.trackedClick()],
    seen: [],
  } satisfies State);
}
resetState();

const FRESH = { 'X-As-Of': '2026-11-20T12:00:00Z', 'X-Lag-Seconds': '0.3' };
const get = <P extends PathsWith<'get'>>(path: P, read: (url: URL) => Ok<P>, headers: Record<string, string> = {}) =>
  http.get(path, ({ request }) => json(read(new URL(request.url)), { headers }));

export const about: About = {
  name: 'Althing',
  version: '1',
  trackingUrl: 'http://t.example',
  contactEmail: null,
  profiles: { twitter: null, facebook: null, linkedin: null, instagram: null, youtube: null },
  figures: {
    monthlyClicks: '2.4M+',
    averageConversion: '24.5%',
    activePartners: '500+',
    monthlyRevenue: '$180K',
    yearsInSecurity: '10+',
    protectedUsers: '50K+',
    dataBreaches: '0',
  },
};

/** Reads that travel together are answered by the routes of each, as soon as these answer. */
const COMBINED = '/api/platform/reads';
function combined(request: Request): ReturnType<typeof raw> {
  const url = new URL(request.url);
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const lines = url.searchParams.getAll('read').map(async (address, read) => {
        const answer = await fetch(new URL(address, url), { headers: request.headers });
        const head = { read, status: answer.status, headers: Object.fromEntries(answer.headers) };
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(head)}\n${await answer.text()}\n`));
      });
      await Promise.allSettled(lines); // what does not reach its route is lacking at the end
      controller.close();
    },
  });
  return raw(stream, { headers: { 'Content-Type': 'application/x-ndjson' } });
}

export const server = setupServer(
  http.any(`*${COMBINED}`, ({ request }) => combined(request)),
  get('/api/marketplace/deal-terms', () => ({ escrowKind: 'real' as const, directDeals: false })),
  get('/api/platform/about', (): About => about),
  get('/api/public/early-access', () => ({ places: 10, left: 7 })),
  get('/api/platform/auth/providers', () =>
    PROVIDERS.map(({ name, label }) => ({ name, label, isConfigured: name === 'github' })),
  ),
  get('/api/platform/setup', () => ({ isOpen: false })),
  get('/api/platform/user', () => state.account),
  get('/api/platform/invite-codes', () => state.invites),
  get('/api/platform/custom-domains', () => state.domains),
  get('/api/platform/tokens', () => state.accessTokens),
  get('/api/platform/sessions', () => [
    {
      id: 's1',
      device: 'Firefox',
      country: 'IS',
      createdAt: '2026-11-20T11:00:00Z',
      lastSeenAt: '2026-11-20T12:00:00Z',
      current: true,
    },
    {
      id: 's2',
      device: 'Chrome',
      country: 'ZZ',
      createdAt: '2026-11-19T11:00:00Z',
      lastSeenAt: '2026-11-19T12:00:00Z',
      current: false,
    },
  ]),
  get('/api/platform/linked-sign-ins', () => [
    { id: 'g1', provider: 'github' as const, label: 'sigrun', linkedAt: '2026-11-01T00:00:00Z' },
  ]),
  get('/api/platform/user/activity', () => [make.auditEntry({ action: 'account.sign_in', outcome: 'refused' })]),
  get('/api/platform/websites', () => state.websites),
  get('/api/platform/notifications/unseen', () => ({ unseen: 0 })),
  get('/api/platform/alerts/raised', () => []),
  get('/api/platform/websites/summary', (url) =>
    make.websitesSummary(state.websites, url.searchParams.get('currency')),
  ),
  get('/api/platform/websites/movers', (url) =>
    make.movers(
      state.websites,
      (url.searchParams.get('period') ?? 'week') as components['schemas']['Movers']['period'],
      url.searchParams.get('currency'),
    ),
  ),
  get('/api/platform/open-items', (url) => make.openItems(state.websites, url.searchParams.get('currency'))),
  get('/api/platform/accountant-file', () => ({ websites: 1, currency: null, months: [] })),
  get('/api/platform/websites/{id}/keys', () => []),
  get('/api/platform/websites/{id}/visitor-data/erasures', () => []),
  get('/api/platform/websites/{id}/retention', () => ({
    rawMonths: null,
    appliesFrom: null,
    keptFrom: null,
    forecast: null,
  })),
  get('/api/platform/partners', () => state.partners),
  get('/api/platform/partner-requests', () => state.partnerRequests),
  get('/api/admin/partner-requests', () => state.adminPartnerRequests),
  get('/api/platform/links', () => state.links),
  get('/api/platform/social-channels', () => state.socialChannels),
  get('/api/platform/sites', () => []),
  get('/api/platform/social-channels/connections', () => ({ networks: [], connections: [] })),
  get('/api/platform/social-report', () => state.socialReport),
  get('/api/platform/links/labels', () => ({ tags: [], folders: [] })),
  http.get('/api/platform/links/{id}', ({ params }) =>
    json(state.links.find(({ id }) => id === params.id) ?? make.link({ id: String(params.id) })),
  ),
  get('/api/platform/links/{id}/clicks', () => []),
  get('/api/platform/links/{id}/history', () => []),
  get('/api/platform/conversions', (url) => {
    const status = url.searchParams.get('status');
    return state.conversions.filter((item) => !status || item.status === status);
  }),
  get('/api/platform/conversions/totals', (url) => {
    const [status, attributed] = [url.searchParams.get('status'), url.searchParams.get('attributed')];
    return make.totals(
      state.conversions.filter(
        (item) =>
          (!status || item.status === status) && (!attributed || (attributed === 'yes') === Boolean(item.partnerId)),
      ),
    );
  }),
  get('/api/platform/analytics/overview', () => state.overview, FRESH),
  get('/api/platform/analytics/clicks', () => state.clicks, FRESH),
  get('/api/platform/analytics/conversions', () => []),
  get('/api/platform/analytics/partners', (): PartnerPerformance[] => [
    {
      partnerId: 'p1',
      partnerName: 'NordVPN',
      clicks: 700,
      conversions: 30,
      revenue: 600,
      epc: 0.86,
      conversion_rate: 4.29,
    },
    {
      partnerId: 'p2',
      partnerName: '=Bluehost',
      clicks: 500,
      conversions: 18,
      revenue: 384.25,
      epc: 0.77,
      conversion_rate: 3.6,
    },
  ]),
  get('/api/platform/analytics/geographic', (): CountryPerformance[] => [
    { country: 'IS', countryName: 'Iceland', clicks: 900, conversions: 40, revenue: 800 },
    { country: 'DE', countryName: 'Germany', clicks: 300, conversions: 8, revenue: 184.25 },
  ]),
  get('/api/platform/annotations', () => []),
  get('/api/platform/views', () => []),
  get('/api/platform/analytics/breakdown', (url) => make.breakdown(url.searchParams), FRESH),
  get('/api/platform/analytics/used-dimensions', () => ['utm_campaign', 'utm_source', 'placement', 'sub1']),
  get('/api/platform/analytics/delivery', () => state.delivery),
  get('/api/platform/sql/pins', () => []),
  get('/api/platform/sql/queries', () => []),
  get('/api/platform/analytics/excluded-traffic', (): ExcludedTraffic[] => [
    { reason: 'changing_agents', kind: 'suspicious', clicks: 1993, pageviews: 0, events: 1993, visitors: 34 },
    { reason: 'crawler', kind: 'bot', clicks: 12, pageviews: 30, events: 42, visitors: 9 },
  ]),
  get('/api/analytics/{websiteId}/insights', () => state.insights),
  get('/api/platform/insights/digest', () => ({ every: 'off' as const })),
  get('/api/admin/analytics', () => ({
    totalClicks: 12_345,
    totalConversions: 48,
    conversionRate: 0.39,
    totalRevenue: 984.2,
    currency: 'USD',
    rates: [],
    notConverted: [],
  })),
  get('/api/platform/conversions/awaiting-rate', () => []),
  get('/api/platform/networks/imports', () => []),
  get('/api/admin/recent-activity', () => state.activity),
  get('/api/admin/partners/performance', () => state.partnerTotals),
  get('/api/admin/partners', () => state.adminPartners),
  get('/api/admin/links', () => state.adminLinks),
  get('/api/admin/clicks', (url) =>
    state.trackedClicks.filter((item) => url.searchParams.get('bots') !== 'only' || item.isBot),
  ),
  get('/api/admin/partners/{id}/terms', () =>
    state.adminPartners.map((item) => ({
      state: 'in_force' as const,
      effectiveAt: item.createdAt,
      commission: item.commission,
      flatCommission: null,
      terms: item.terms,
    })),
  ),
);

server.events.on('request:start', ({ request }) => {
  const url = new URL(request.url);
  if (url.pathname === COMBINED) return;
  const entry = {
    line: `${request.method} ${url.pathname}${url.search}`,
    headers: request.headers,
    body: null as unknown,
  };
  state.seen.push(entry);
  void request
    .clone()
    .text()
    .then((text) => {
      if (text && request.headers.get('Content-Type')?.includes('json')) entry.body = JSON.parse(text);
    });
});

export const requests = (start: string): string[] =>
  state.seen.map((item) => item.line).filter((line) => line.startsWith(start));
