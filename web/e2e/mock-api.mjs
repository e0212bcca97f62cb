// A development server for screenshots and accessibility checks without the stack: serves dist/ with the gateway's
// content security policy and answers the API from seeded figures. Figures agree with each other: totals are sums.
import { lacking } from './mock-contract.mjs';
import { costImports, costs } from './mock-costs.mjs';
import { destinationsAnswer } from './mock-destinations.mjs';
import { balances, payouts } from './mock-payouts.mjs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { people } from './mock-people.mjs';
import { emailReports, savedViews } from './mock-reports.mjs';
import { publicAnswer } from './mock-public.mjs';
import { publishing } from './mock-publishing.mjs';
import { serveFile } from './site-files.mjs';
import { changedLinks } from './mock-link-changes.mjs';
import { linkFiles } from './mock-link-files.mjs';
import { linkSplit, splitVariants } from './mock-split.mjs';
import { affiliates, linkClicks, ownPartner, partnerRequests, terms } from './mock-affiliates.mjs';
import { breakdown, USED } from './mock-breakdown.mjs';
import { withOddNames } from './odd-names.mjs';
import { forumAnswer } from './mock-forum.mjs';
import { ideasAnswer } from './mock-ideas.mjs';
import { insightsAnswer } from './mock-insights.mjs';
import { leadsAnswer } from './mock-leads.mjs';
import { marketplaceAnswer } from './mock-marketplace.mjs';
import { matchingAnswer } from './mock-matching.mjs';
import { networksAnswer } from './mock-networks.mjs';
import { operationsAnswer } from './mock-operations.mjs';
import { ratesAnswer } from './mock-rates.mjs';
import { reconciledPartners, reconciliation } from './mock-reconciliation.mjs';
import {
  accountantFile,
  bucketsOf,
  coverage,
  movers,
  openItems,
  shownRanges,
  websitesSummary,
} from './mock-ranges.mjs';
import { found } from './mock-search.mjs';
import { socialAnswer } from './mock-social.mjs';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types site-preview";
/** A document without the app, of the same site. */
export const BLANK = '/blank.html';
const ZONE = 'Atlantic/Reykjavik';
const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Answers with the header of a website whose events have expired. */
const OF_SINGLE_EVENTS = /^POST \/api\/platform\/sql$|^GET \/api\/.*\/clicks$/;

/** No browser solves it during a test. */
const ENDLESS = { challenge: 'c'.repeat(44), puzzles: 64, bits: 20 };

const user = {
  id: 'u1',
  email: 'sigrun@example.com',
  name: 'Sigrún Jónsdóttir',
  displayName: 'Sigrún',
  roles: ['admin'],
};
const partnerNames = [
  'NordVPN',
  'Bluehost',
  'SEMrush',
  'Shopify',
  'ConvertKit',
  'Kinsta',
  'Surfshark',
  'Coursera',
  'Thinkific',
  'Wise',
];
const partners = partnerNames.map((name, index) => ({
  id: `p${index + 1}`,
  name,
  slug: name.toLowerCase(),
  baseUrl: `https://www.${name.toLowerCase()}.com/`,
  commission: 5 + index,
  flatCommission: null,
  terms: terms(5 + index),
  description: '',
  isActive: index !== 8,
  cookieDays: 30,
  postbackPreset: index % 2 ? 'awin' : null,
  clickIdParameter: index % 2 ? 'clickref' : null,
  ownClickIdParameter: null,
  isPrivate: false,
  createdAt: '2026-08-01T10:00:00Z',
}));
const countries = [
  ['US', 0.38],
  ['DE', 0.17],
  ['GB', 0.14],
  ['IS', 0.09],
  ['CA', 0.08],
  ['FR', 0.055],
  ['NL', 0.03],
  ['BR', 0.02],
  ['SE', 0.015],
  ['JP', 0.012],
  ['ZZ', 0.008],
];
const names = new Intl.DisplayNames(['en'], { type: 'region' });

/**
 * @param {{ empty?: boolean, first?: boolean, broken?: boolean, slow?: boolean }} options
 * empty: no website yet; first: a website without any event; broken: figures are refused; slow: most figures never come
 */
/** What the answers so far lack of what the API's description requires. */
export const lacks = new Set();

export function startMock({ empty = false, first = false, broken = false, slow = false, odd = false } = {}) {
  const websites = empty
    ? []
    : [
        website('w1', 'vpnreview.is'),
        website('w2', 'hosting-compare.com'),
        {
          ...website('w3', 'kaffi-und-espresso.de'),
          ...{ timezone: 'Europe/Berlin', currency: 'EUR', keepAdClickIds: false },
        },
      ];
  const keys = new Map();
  const links = first
    ? []
    : partners
        .slice(0, 4)
        .map((partner, index) => link(`l${index}`, partner, ['sidebar', 'review', 'footer', undefined][index]));
  const conversions = first ? [] : Array.from({ length: 18 }, (_, index) => conversion(index));
  const sitesAnswer = publishing();
  let sent = 0;

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === BLANK) {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      return response.end('<!doctype html><link rel="icon" href="data:,">'); // else the browser requests an icon
    }
    if (!url.pathname.startsWith('/api/')) return serveFile(url.pathname, response, { 'Content-Security-Policy': CSP });
    if (url.pathname === '/api/platform/reads') return combined(request, url, response);
    const key = `${request.method} ${url.pathname}`;
    const input = await readBody(request);
    const query = Object.fromEntries(url.searchParams);
    const figures =
      /^\/api\/(analytics\/|platform\/(analytics|conversions|links|payouts|networks|destinations|social-channels|social-report)|admin\/(projections|dead-letters|system|analytics|recent-activity|partners|links|clicks))/.test(
        url.pathname,
      );
    // Not all of them: a browser has six connections to a server, and the page's own files need one.
    if (slow && /\/(overview|clicks|geographic)$/.test(url.pathname)) return;
    if (broken && figures) {
      response.writeHead(503, { 'Content-Type': 'application/problem+json' });
      response.end(
        JSON.stringify(
          problem(503, 'unavailable', 'A service does not answer right now. Please try again in a moment.'),
        ),
      );
      return;
    }
    if (url.pathname === '/api/platform/analytics/live') return live(response, first ? () => sent : null);
    const json = (value, status = 200, headers = {}) => {
      for (const place of lacking(key, status, value)) lacks.add(`${key} ${status}: ${place}`);
      response.writeHead(status, {
        'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
        ...(OF_SINGLE_EVENTS.test(key) ? { 'X-Events-Kept-From': '2026-03-01' } : {}),
        ...headers,
      });
      response.end(value === null ? '' : JSON.stringify(odd ? withOddNames(url.pathname, value) : value));
    };
    const fresh = { 'X-As-Of': new Date(Date.now() - 400).toISOString(), 'X-Lag-Seconds': '0.4' };
    if (key === 'POST /api/platform/login') {
      if (input.password === 'wrong-password')
        return json(problem(401, 'invalid_credentials', 'Invalid credentials'), 401);
      if (input.email === 'guessed@example.com')
        return json(
          {
            ...problem(
              429,
              'proof_of_work_needed',
              'Too many sign-in attempts for this account. Send the proof of work, or try again later.',
            ),
            work: ENDLESS,
          },
          429,
        );
      if (input.email === 'two@example.com' && !input.twoFactorCode) return json({ requires2FA: true, ticket: 't' });
      return json({ requires2FA: false, token: 'token', user }, 200, {
        'Set-Cookie': 'sid=1; HttpOnly; Path=/; SameSite=Lax',
      });
    }
    if (key === 'POST /api/platform/auth/exchange') {
      if (input.code === 'new')
        return json({
          inviteNeeded: true,
          provider: 'google',
          ticket: 't',
          email: 'gudrun@mail.example',
          name: 'Guðrún',
        });
      if (input.code === 'two') return json({ requires2FA: true, ticket: 't' });
      return json(problem(400, 'handoff_ended', 'This sign-in has ended. Please sign in again.'), 400);
    }
    if (key === 'GET /api/platform/setup') return json({ isOpen: false });
    if (key === 'GET /api/platform/auth/providers')
      return json(
        ['Google', 'GitHub', 'Microsoft', 'LinkedIn'].map((label) => ({
          name: label.toLowerCase(),
          label,
          isConfigured: label !== 'LinkedIn',
        })),
      );
    if (key === 'POST /api/platform/setup') return json({ requires2FA: false, token: 'token', user });
    if (key === 'POST /api/platform/logout') return json(null, 204);
    if (key === 'GET /api/platform/search')
      return json(found(query.q ?? '', { websites, partners, links, conversions }));
    const ofAnybody = publicAnswer(key);
    if (ofAnybody) return json(...ofAnybody);
    const ofPeople = people(key, user, first);
    if (ofPeople) return json(ofPeople.body, ofPeople.status);
    const ofAffiliates = affiliates(key, query, partners, links, first || empty);
    if (ofAffiliates) return json(ofAffiliates);
    const ofInsights = insightsAnswer(key, first || empty);
    if (ofInsights) return json(...ofInsights);
    const ofIdeas = ideasAnswer(key, { first, empty });
    if (ofIdeas) return json(...ofIdeas);
    const ofMatching = matchingAnswer(key, first || empty);
    if (ofMatching) return json(...ofMatching);
    const ofForum = forumAnswer(key, query, first || empty);
    if (ofForum) return json(...ofForum);
    const ofLeads = leadsAnswer(key, input, first || empty);
    if (ofLeads) return json(...ofLeads);
    const ofSites = sitesAnswer(key, input, first || empty);
    if (ofSites) {
      const [content, status = 200, type] = ofSites;
      if (!type) return json(content, status);
      response.writeHead(status, { 'Content-Type': type });
      return response.end(content);
    }
    const market = marketplaceAnswer(key, query, first || empty);
    if (market) {
      const [sent, status = 200, type] = market;
      if (!type) return json(sent, status);
      response.writeHead(status, { 'Content-Type': type });
      return response.end(sent);
    }
    const rates = ratesAnswer(key, first || empty, input);
    if (rates) return json(...rates);
    const operations = operationsAnswer(key);
    if (operations) return json(...operations);
    const sql = sqlAnswer(key, input);
    if (sql) return json(...sql);
    if (key === 'GET /api/platform/about')
      return json({
        name: 'Althing',
        version: '1',
        trackingUrl: 'http://127.0.0.1:8001',
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
      });
    if (key === 'GET /api/platform/websites') return json(websites);
    if (key === 'GET /api/platform/websites/summary')
      return json(
        websitesSummary(websites, query.currency, (site) => dailyOf(site, first && !sent)),
        200,
        fresh,
      );
    if (key === 'GET /api/platform/websites/movers')
      return json(movers(websites, query.currency, query.period), 200, fresh);
    if (key === 'GET /api/platform/open-items') return json(openItems(websites, query.currency));
    if (key === 'GET /api/platform/accountant-file')
      return json(accountantFile(websites, query.currency, query.month, query.until));
    if (key === 'POST /api/platform/websites') {
      const made = {
        ...website(`w${websites.length + 1}`, input.domain),
        timezone: input.timezone,
        currency: input.currency,
      };
      websites.push(made);
      return json(
        {
          ...made,
          siteKey: 'pk_4vQm2Wc8Yb1NsKt6PSnkQyzBHoemDLClGagO6xxqCD7',
          secretKey: 'sk_9Jx0Zr5Lh3Fd7PqAeUoB2nViXTHMFL60YP3WVezffGl',
          postbackToken: 'pb_6Tg1Sk8Mw4Ry2XcUFdOhTsk0PynpfhGJ7cltuNsmU48',
        },
        201,
        { 'X-Position': 'domain@12' },
      );
    }
    if (/\/visitor-data\/erasures$/.test(url.pathname)) return json(visitorErasures());
    if (/\/visitor-data\/find$/.test(url.pathname)) return json(visitorData());
    if (/\/visitor-data\/export$/.test(url.pathname)) return json({});
    if (/\/traffic-rules$/.test(url.pathname))
      return json(request.method === 'GET' ? trafficRules() : trafficRules()[0], request.method === 'GET' ? 200 : 201);
    const changed = /^\/api\/platform\/websites\/([^/]+)$/.exec(url.pathname);
    if (changed && request.method === 'PATCH')
      return json(
        Object.assign(
          websites.find((item) => item.id === changed[1]),
          input,
        ),
        200,
        { 'X-Position': 'domain@14' },
      );
    if (/\/retention$/.test(url.pathname)) {
      const rawMonths = Number(input?.rawMonths ?? query.rawMonths ?? 0) || null;
      return request.method === 'PUT'
        ? json({ rawMonths, retentionAppliesFrom: null }, 200, { 'X-Position': 'domain@15' })
        : json({
            rawMonths: null,
            appliesFrom: null,
            keptFrom: null,
            forecast: rawMonths && { rawMonths, keptFrom: '2026-08-01', events: 184_203, isHeldBack: false },
          });
    }
    if (/\/keys$/.test(url.pathname) && request.method === 'GET')
      return json([...defaultKeys(), ...(keys.get(url.pathname) ?? [])]);
    if (/\/keys\/[^/]+\/reveal$/.test(url.pathname))
      return json({ token: 'pb_6Tg1Sk8Mw4Ry2XcUFdOhTsk0PynpfhGJ7cltuNs9gmq' });
    if (key === 'GET /api/platform/annotations') return json(first ? [] : annotations());
    if (url.pathname.startsWith('/api/platform/annotations')) return json({ id: 'a9', websiteId: 'w1', ...input }, 201);
    if (key === 'GET /api/platform/views') return json(empty || first ? [] : savedViews());
    if (key === 'GET /api/platform/reports') return json(empty || first ? [] : emailReports());
    if (url.pathname.startsWith('/api/platform/reports')) return json({ id: 'r9', ...input }, 201);
    if (key === 'GET /api/platform/partners') return json(first ? partners : [...partners, ownPartner]);
    if (key === 'GET /api/platform/partner-requests') return json(first ? [] : partnerRequests);
    const ofNetworks = networksAnswer(key, query, first || empty);
    if (ofNetworks) return json(...ofNetworks);
    const ofDestinations = destinationsAnswer(key, query, first || empty);
    if (ofDestinations) return json(...ofDestinations);
    const ofSocial = socialAnswer(key, input, {
      isNew: first || empty,
      link: (partnerId) => link('l0', partners.find((item) => item.id === partnerId) ?? partners[0], 'review'),
    });
    if (ofSocial) return json(...ofSocial);
    if (/^GET \/api\/platform\/social-posts\/[^/]+\/picture$/.test(key)) {
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
      return response.end(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#2a9d8f" d="M0 0h9v9z"/></svg>',
      );
    }
    if (key === 'GET /api/platform/links') return json(links);
    if (key === 'GET /api/platform/links/labels')
      return json({
        tags: [
          { name: 'newsletter', links: 1 },
          { name: 'review', links: 2 },
          { name: 'vpn', links: 1 },
        ],
        folders: [
          { name: 'Evergreen', links: 1 },
          { name: 'Spring sale', links: 1 },
        ],
      });
    if (key.startsWith('POST /api/platform/links/changes') || key.startsWith('GET /api/platform/links/changes'))
      return json(...changedLinks(key, links, partners, input));
    const ofFiles = linkFiles(key);
    if (ofFiles) return json(ofFiles);
    if (key === 'GET /api/platform/links.csv') {
      response.writeHead(200, {
        'Content-Type': 'text/csv',
        'Content-Disposition': 'attachment; filename="links.csv"',
      });
      return response.end('slug,partner\r\n');
    }
    if (/^[A-Z]+ \/api\/platform\/links\/[^/]+\/split(\/|$)/.test(key))
      return json(linkSplit(key, links[1] ?? links[0]));
    if (/^GET \/api\/platform\/links\/[^/]+\/clicks$/.test(key)) return json(linkClicks(partners));
    if (/^GET \/api\/platform\/links\/[^/]+\/qr\.svg$/.test(key)) {
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
      return response.end('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M2 2h5v5H2z"/></svg>');
    }
    if (/^GET \/api\/platform\/links\/[^/]+$/.test(key) && links.length > 0)
      return json(links.find((item) => url.pathname.endsWith(item.id)) ?? links[0]);
    if (key === 'POST /api/platform/links') {
      const made = link(
        `l${links.length}`,
        partners.find((item) => item.id === input.partnerId),
        input.sub1,
        input.slug,
      );
      links.push(made);
      return json(made, 201);
    }
    if (key === 'GET /api/platform/conversions') {
      const found = sortedBy(query.sort ?? '-date', matching(conversions, query));
      return json(found.slice(0, Number(query.limit ?? 25)));
    }
    if (key === 'GET /api/platform/conversions/totals') return json(totals(matching(conversions, query)));
    if (key === 'POST /api/platform/conversions/decisions') {
      const ids = input.ids ?? matching(conversions, { ...input.filter, status: 'pending' }).map((item) => item.id);
      const dueAt = new Date(Date.now() + 10_000).toISOString();
      const found = conversions.filter((item) => ids.includes(item.id) && (item.partnerId || input.unattributed));
      for (const item of found) item.decision = { id: 'd1', decision: input.decision, dueAt };
      const commission = { amount: found.reduce((sum, item) => sum + item.commission.amount, 0), currency: 'USD' };
      const told = { id: 'd1', decision: input.decision, dueAt, count: found.length, commission };
      return json({ ...told, refused: [], more: false, last: null }, 201, { 'X-Position': 'domain@13' });
    }
    if (/conversions\/decisions\/[^/]+\/undo$/.test(url.pathname)) {
      for (const item of conversions) item.decision = null;
      return json({ id: 'd1', state: 'undone' }, 200, { 'X-Position': 'domain@14' });
    }
    const explained = /conversions\/([^/]+)\/explain$/.exec(url.pathname);
    if (explained) return json(explanation(conversions.find((item) => item.id === explained[1])));
    if (key === 'GET /api/platform/payouts/balances') return json(balances(partners, first));
    if (key === 'GET /api/platform/payouts') return json(payouts(partners, first));
    if (request.method === 'POST' && url.pathname.startsWith('/api/platform/payouts'))
      return json({ ...payouts(partners)[0], voided: false }, 201, { 'X-Position': 'domain@15' });
    if (key === 'GET /api/platform/reconciliation/partners') return json(reconciledPartners(partners, first));
    if (key === 'GET /api/platform/reconciliation') return json(reconciliation(partners, query));
    if (key === 'GET /api/platform/costs/imports') return json(costImports(first));
    if (key === 'GET /api/platform/costs') return json(costs(first));
    if (request.method === 'POST' && url.pathname.startsWith('/api/platform/costs'))
      return json(costs()[0], 201, { 'X-Position': 'domain@16' });
    if (key === 'GET /api/platform/statements') return json(statements(query.month));
    const decided = /conversions\/([^/]+)\/(approve|reject|reverse)$/.exec(url.pathname);
    if (decided && request.method === 'POST') {
      const row = conversions.find((item) => item.id === decided[1]);
      row.status = { approve: 'approved', reject: 'rejected', reverse: 'reversed' }[decided[2]];
      row.reason = input.reason ?? null;
      return json(row, 200, { 'X-Position': 'domain@13' });
    }
    if (key === 'GET /api/website/keys') return json(defaultKeys().slice(0, 2));
    if (url.pathname.startsWith('/api/platform/analytics/') || url.pathname.startsWith('/api/website/')) {
      const name = url.pathname.split('/').at(-1);
      if (name === 'events') return json(first ? [] : loggedEvents(query), 200, fresh);
      if (name === 'breakdown')
        return json(
          breakdown(query, analytics('overview', { ...query, compare: 'none' }, first && !sent), {
            partners,
            links,
            countries,
          }),
          200,
          fresh,
        );
      if (name === 'used-dimensions') return json(first && !sent ? [] : USED, 200, fresh);
      return json(analytics(name, query, first && !sent), 200, fresh);
    }
    return json(problem(404, 'not_found', `Not in the mock: ${key}`), 404);
  });
  return new Promise((resolve) => {
    server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        sendEvent: () => (sent += 1),
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      });
    });
  });
}

const annotations = () => [
  { id: 'a1', kind: 'own', at: new Date(Date.now() - 2 * DAY).toISOString(), text: 'New comparison table is online' },
  { id: null, kind: 'terms_changed', at: new Date(Date.now() - 4 * DAY).toISOString(), text: 'New terms of NordVPN' },
  {
    id: null,
    kind: 'projection_promoted',
    at: new Date(Date.now() - 11 * DAY).toISOString(),
    text: 'Reports rebuilt from the event log',
  },
];

const website = (id, domain) => ({
  id,
  domain,
  timezone: ZONE,
  currency: 'USD',
  createdAt: '2026-08-01T10:00:00Z',
  firstEventAt: '2026-08-01T10:04:00Z',
  siteKey: 'pk_4vQm2Wc8Yb1NsKt6',
  linkClickIds: true,
  linkImpressionsEvery: 0,
  txidScope: 'website',
  attributionModel: 'last_click',
  maxClaimAmount: 500_000,
  maxClaimsPerClick: 5,
  keepAdClickIds: true,
  adClickIdDays: 90,
  adClickIdsNeedConsent: true,
});
const defaultKeys = () => [
  {
    id: 'k1',
    kind: 'site',
    key: 'pk_4vQm2Wc8Yb1NsKt6',
    name: 'Default',
    isReadable: false,
    hint: 'pk_…NsKt6',
    last4: 'sKt6',
    allowedOrigins: ['https://vpnreview.is'],
    createdAt: '2026-08-01T10:00:00Z',
    lastUsedAt: new Date(Date.now() - 90_000).toISOString(),
    revokedAt: null,
  },
  {
    id: 'k2',
    kind: 'secret',
    key: null,
    name: 'Web shop',
    isReadable: false,
    hint: 'sk_…2nVi',
    last4: '2nVi',
    allowedOrigins: [],
    createdAt: '2026-08-01T10:00:00Z',
    lastUsedAt: null,
    revokedAt: null,
  },
  {
    id: 'k3',
    kind: 'postback',
    key: null,
    name: '',
    isReadable: false,
    hint: 'pb_…2Xc',
    last4: '92Xc',
    allowedOrigins: [],
    createdAt: '2026-08-01T10:00:00Z',
    lastUsedAt: '2026-09-30T10:00:00Z',
    revokedAt: '2026-10-01T10:00:00Z',
  },
  {
    id: 'k4',
    kind: 'postback',
    name: 'Awin',
    isReadable: true,
    key: null,
    hint: 'pb_…9gmq',
    last4: '9gmq',
    allowedOrigins: [],
    createdAt: '2026-10-01T10:00:00Z',
    lastUsedAt: new Date(Date.now() - 3 * HOUR).toISOString(),
    revokedAt: null,
  },
];
const visitorErasures = () => [
  {
    id: 've1',
    erasedAt: '2026-11-18T09:30:00Z',
    erasedBy: 'Ada',
    namedBy: 'order_id',
    counts: { pageviews: 12, clicks: 1, conversions: 1 },
    state: 'done',
  },
];
const visitorData = () => ({
  stored: [
    {
      store: 'pageviews',
      what: 'Page views',
      count: 12,
      firstAt: '2026-11-01T09:30:00Z',
      lastAt: '2026-11-18T09:30:00Z',
      onErase: 'emptied',
      why: 'Totals stay the same. Rows get a new pseudonym.',
    },
    {
      store: 'samples',
      what: 'Samples of rejected requests',
      count: 1,
      firstAt: null,
      lastAt: null,
      onErase: 'erased',
      why: 'The samples are erased. Time and reason stay.',
    },
    {
      store: 'awaiting_rate',
      what: 'Reports awaiting an exchange rate',
      count: 1,
      firstAt: null,
      lastAt: null,
      onErase: 'kept',
      why: 'They are not decided yet.',
    },
  ],
  conversions: [
    {
      id: 'c1',
      event: 'sale',
      txid: 'ORDER-1',
      status: 'approved',
      amount: { amount: 4999, currency: 'USD' },
      commission: { amount: 500, currency: 'USD' },
      occurredAt: '2026-11-18T09:30:00Z',
    },
  ],
  ownTexts: [{ what: 'Payout', name: 'for ORDER-1', path: '/payouts', until: '' }],
  kept: [{ what: 'Counts in reports', why: 'No person is in them.' }],
});
const trafficRules = () => [
  {
    id: 'r1',
    since: new Date(Date.now() - 9 * DAY).toISOString(),
    until: new Date(Date.now() - 8 * DAY).toISOString(),
    mark: 'bot',
    conditions: { partner_id: 'p1', reason: 'changing_agents' },
    note: '',
    createdAt: new Date(Date.now() - 7 * DAY).toISOString(),
    isFollowed: true,
  },
  {
    id: 'r2',
    since: new Date(Date.now() - 2 * DAY).toISOString(),
    until: new Date(Date.now() - DAY).toISOString(),
    mark: 'suspicious',
    conditions: {},
    note: '',
    createdAt: new Date(Date.now() - HOUR).toISOString(),
    isFollowed: false,
  },
];
const usd = (amount) => ({ amount, currency: 'USD' });
function explanation(row) {
  const terms = {
    kind: 'percent',
    percent: 30,
    amount: null,
    currency: null,
    tiersBy: 'conversions',
    tiersCurrency: null,
    tiers: [{ atLeast: 50, percent: 35, amount: null }],
    holdDays: 30,
    autoApproveDays: 14,
    text: '30% of the sale; 35% of the sale from 50 conversions a month; payable 30 days after the sale; auto-approved after 14 days',
  };
  const place = (topic, partition, offset) => ({ topic, partition, offset });
  const step = (version, name, text, by, more) => ({
    version,
    name,
    text,
    at: row.recordedAt,
    by,
    reason: null,
    pending: null,
    earned: null,
    reversed: null,
    position: 40 + version,
    place: place('domain', 0, 39 + version),
    ...more,
  });
  const { amount, commission } = row;
  const other = { ...amount, amount: amount.amount + 500 };
  const less = (money) => ({ ...money, amount: -money.amount });
  const said = { payout: null, status: null, clickId: null, coupon: null, namesCustomer: false, unread: [] };
  const reports = [
    {
      ...said,
      amount,
      namesCustomer: true,
      reportedBy: 'sale',
      keyKind: row.keyKind,
      at: row.recordedAt,
      stands: true,
      place: place('conversions', 1, 3071),
    },
    {
      ...said,
      amount: other,
      payout: commission,
      status: 'approved',
      clickId: row.clickId,
      unread: ['coupon'],
      reportedBy: 'postback',
      keyKind: 'postback',
      at: row.recordedAt,
      stands: false,
      place: place('conversions', 1, 3102),
    },
  ];
  const texts = [
    ['recorded', 'The sale was reported (sale)', 'system', { pending: commission }],
    ...(row.conflicts
      ? [
          [
            'report_conflicted',
            `Reported again (postback, by postback token) with another amount, ${other.amount / 100} USD`,
            'system',
            {},
          ],
        ]
      : []),
    ...(['approved', 'reversed'].includes(row.status)
      ? [['approved', 'Approved', 'you', { pending: less(commission), earned: commission }]]
      : []),
    ...(row.status === 'reversed'
      ? [['reversed', 'Reversed', 'you', { earned: less(commission), reversed: commission, reason: row.reason }]]
      : []),
    ...(row.status === 'rejected'
      ? [['rejected', 'Rejected', 'you', { pending: less(commission), reason: row.reason }]]
      : []),
  ];
  const share = (amount.amount * 0.003).toFixed(4);
  const rounded = (commission.amount / 100).toFixed(2);
  return {
    conversion: { ...row, kind: 'sale' },
    rule: {
      by: 'terms',
      text: '30% of the sale',
      terms,
      version: 2,
      effectiveAt: '2026-09-01T00:00:00Z',
      tier: 'Tier 0: below 50 conversions in 2026-11 when it was decided',
    },
    click: {
      by: 'click_id',
      at: row.occurredAt,
      clickId: row.clickId,
      linkId: 'l1',
      link: 'nordvpn-l1',
      country: 'IS',
      device: 'mobile',
      source: 'newsletter',
      subs: { sub1: 'sidebar' },
      place: place('clicks', 2, 18_204),
      adClickIds: [
        { name: 'gclid', network: 'Google Ads', value: 'Cj0KCQiA_example' },
        { name: null, network: null, value: '[erased]' },
      ],
      keptFrom: null,
    },
    rate: null,
    working: {
      text: `${(amount.amount / 100).toFixed(2)} USD × 30% = ${share} USD, rounded ${rounded} USD`,
      exact: share,
      rounded,
      agrees: true,
    },
    missingClick: null,
    assignment: null,
    sources: [
      { field: 'amount', source: 'shop', network: null, at: row.recordedAt },
      ...(row.network ? [{ field: 'payout', source: 'import', network: row.network, at: row.recordedAt }] : []),
      { field: 'click_id', source: 'network', network: null, at: row.recordedAt },
    ],
    lines: row.network
      ? [{ importId: 'ni-applied', fileName: 'awin-transactions-2026-11.csv', line: 17, uploadedAt: row.recordedAt }]
      : [],
    reports: reports.slice(0, row.conflicts ? 2 : 1),
    unread: row.unread.map((field) => unreadValue(field, row)),
    events: texts.map(([name, text, by, more], index) => step(index + 1, `conversion.${name}`, text, by, more)),
  };
}
const unreadValue = (field, row) => ({
  reportId: 'r1',
  field,
  text: field === 'payout' ? '{payout_amount}' : '',
  isPlaceholder: field === 'payout',
  reportedBy: 'postback',
  at: row.recordedAt,
});
const statements = (month) => ({
  month,
  timezone: ZONE,
  isOver: false,
  isFinal: false,
  statements: partners.slice(0, 4).map((partner, index) => {
    const [opening, approved, takenBack, adjustments, held] = [
      210_400 - 40_000 * index,
      98_240 - 12_000 * index,
      1_250 * index,
      4_999,
      31_000,
    ];
    const closing = opening + approved - takenBack - adjustments;
    return {
      partnerId: partner.id,
      partnerName: partner.name,
      opening: usd(opening),
      approved: usd(approved),
      takenBack: usd(takenBack),
      adjustments: usd(adjustments),
      closing: usd(closing),
      held: usd(held),
      payable: usd(closing - held),
      conversions: 40 - index,
    };
  }),
});
const problem = (status, code, message) => ({ type: 'about:blank', title: code, status, code, message });
const link = (id, partner, sub1, slug) => ({
  id,
  websiteId: 'w1',
  partnerId: partner.id,
  partnerName: partner.name,
  slug: slug || `${partner.slug}-${id}`,
  url: `http://127.0.0.1:8001/go/${slug || `${partner.slug}-${id}`}`,
  destination: `https://${partner.slug}.com/`,
  coupon: null,
  isActive: true,
  rules: [],
  variants: id === 'l1' ? splitVariants : [],
  winner: null,
  expiresAt: null,
  fallback: null,
  passesClickId: partner.clickIdParameter !== null,
  tags: [['review', 'vpn'], ['newsletter'], [], ['review']][Number(id.slice(1)) % 4],
  folder: ['Spring sale', null, null, 'Evergreen'][Number(id.slice(1)) % 4],
  isArchived: false,
  utm: {},
  channelId: null,
  ...Object.fromEntries(Array.from({ length: 10 }, (_, place) => [`sub${place + 1}`, ''])),
  ...(sub1 ? { sub1 } : {}),
  createdAt: '2026-09-01T00:00:00Z',
  clicks: 4210 - 731 * Number(id.slice(1)),
  conversions: 40,
  earnings: { amount: 118_240 - 21_355 * Number(id.slice(1)), currency: 'USD' },
});

function conversion(index) {
  const status = ['pending', 'pending', 'approved', 'approved', 'rejected', 'approved', 'reversed'][index % 7];
  const amount = 2999 + ((index * 7919) % 24000);
  const partner = partners[(index * 3) % partners.length];
  const at = new Date(Date.now() - index * 2.7 * HOUR - 240_000).toISOString();
  const money = (value) => ({ amount: Math.round(value), currency: 'USD' });
  const keyKind = index % 5 === 1 ? 'site' : 'secret';
  return {
    id: `c${index}`,
    websiteId: 'w1',
    partnerId: index === 5 ? null : partner.id,
    partnerName: index === 5 ? null : partner.name,
    linkId: 'l1',
    clickId: '01JD7W8Z3Q5K9M2N4P6R8T0V1XCYDZ',
    event: index % 4 ? 'sale' : 'lead',
    kind: index % 4 ? 'sale' : 'lead',
    txid: `ORD-${104_233 - index * 17}`,
    status,
    amount: money(amount),
    commission: money(amount * 0.3),
    reversed: money(status === 'reversed' ? amount : 0),
    reversedCommission: money(status === 'reversed' ? amount * 0.3 : 0),
    reason: { rejected: 'Outside the cookie window', reversed: 'Refunded by the customer' }[status] ?? null,
    attribution: index === 5 ? null : 'click_id',
    occurredAt: at,
    clickedAt: index === 5 ? null : new Date(Date.parse(at) - 2 * HOUR).toISOString(),
    recordedAt: at,
    decidedAt: null,
    approvesAt:
      status === 'pending' && index % 7 && keyKind !== 'site'
        ? new Date(Date.parse(at) + 14 * DAY).toISOString()
        : null,
    payableAt: status === 'approved' ? new Date(Date.parse(at) + 30 * DAY).toISOString() : null,
    conflicts: index === 3 ? 1 : 0,
    keyKind,
    addressClass: keyKind === 'site' ? 'datacentre_address' : '',
    clickBotReason: index === 4 ? 'headless' : null,
    otherEvents: index === 2 ? ['purchase'] : [],
    unread: index === 6 ? ['payout', 'customer_id'] : [],
    adjustment: null,
    linkSlug: index === 5 ? null : 'nord-review',
    country: index === 5 ? '' : ['DE', 'US', 'IS', 'GB', 'FR'][index % 5],
    device: index === 5 ? '' : ['desktop', 'mobile'][index % 2],
    source: index === 5 ? '' : ['newsletter', 'google', 'instagram'][index % 3],
    subs: index % 3 ? {} : { sub1: 'sidebar' },
    coupon: index === 8 ? 'SPRING15' : '',
    customer: `c-${4711 + index}`,
    reportedBy: index % 3 ? 'postback' : 'sale',
    network: index % 4 ? '' : 'awin',
    networkTxid: index % 4 ? '' : `${884_120_311 + index}`,
    isVoid: false,
    decision: null,
  };
}

/** The conversions that have what the list is filtered by. */
const matching = (conversions, { search = '', status, partnerId, keyKind, attributed, country }) =>
  conversions.filter(
    (item) =>
      (!status || item.status === status) &&
      (!partnerId || item.partnerId === partnerId) &&
      (!keyKind || item.keyKind === keyKind) &&
      (!country || item.country === country) &&
      (!attributed || (attributed === 'yes') === Boolean(item.partnerId)) &&
      [item.txid, item.clickId ?? '', item.customer].some((text) => text.startsWith(search)),
  );

function sortedBy(sort, rows) {
  const value = {
    date: (row) => row.occurredAt,
    amount: (row) => row.amount.amount,
    commission: (row) => row.commission.amount,
    status: (row) => row.status,
    partner: (row) => (row.partnerName ?? '').toLowerCase(),
  }[sort.replace('-', '')];
  const way = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => (value(a) < value(b) ? -way : value(a) > value(b) ? way : 0));
}

function totals(rows) {
  const usd = (found, of) => ({ amount: found.reduce((sum, row) => sum + row[of].amount, 0), currency: 'USD' });
  const unattributed = (found) => found.filter((row) => !row.partnerId).length;
  return {
    count: rows.length,
    unattributed: unattributed(rows),
    amounts: rows.length ? [usd(rows, 'amount')] : [],
    statuses: ['pending', 'approved', 'rejected', 'reversed'].flatMap((status) => {
      const found = rows.filter((row) => row.status === status);
      if (found.length === 0) return [];
      return [{ status, count: found.length, unattributed: unattributed(found), commission: usd(found, 'commission') }];
    }),
    at: new Date().toISOString(),
  };
}

/** Same input, same figure: a small hash instead of a random generator. */
function noise(seed) {
  const value = Math.sin(seed * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}

function analytics(name, query, nothing) {
  const buckets = bucketsOf(query);
  const factor = nothing
    ? 0
    : (query.partner ? 0.22 : 1) * (query.country ? 0.3 : 1) * (query.bots === 'only' ? 0.08 : 1);
  const series = buckets.map(({ date, time, hours }) => {
    const wave = 1 + 0.35 * Math.sin(time / DAY / 3.1) + 0.25 * noise(time / HOUR) + (time / DAY - 20_000) / 2500;
    const partial = time + hours * HOUR > Date.now() ? Math.max(0.05, (Date.now() - time) / (hours * HOUR)) : 1;
    const clicks = Math.round(wave * hours * 55 * factor * partial);
    const conversions = Math.round(clicks * (0.03 + 0.02 * noise(time / DAY)));
    return {
      date,
      clicks,
      unique: Math.round(clicks * 0.78),
      visitors: Math.round(clicks * 1.9),
      pageviews: Math.round(clicks * 3.4),
      conversions,
      revenue: Math.round(conversions * (38 + 18 * noise(time / DAY + 7)) * 100) / 100,
    };
  });
  if (name === 'clicks') return series;
  if (name === 'conversions') {
    return series.map((item) => ({
      date: item.date,
      total: item.conversions,
      pending: Math.round(item.conversions * 0.3),
      approved: item.conversions - Math.round(item.conversions * 0.3),
      rejected: Math.round(item.conversions * 0.08),
      reversed: Math.round(item.conversions * 0.05),
      revenue: item.revenue,
    }));
  }
  const clicks = sum(series, 'clicks');
  const revenue = Math.round(sum(series, 'revenue') * 100) / 100;
  const conversions = sum(series, 'conversions');
  if (name === 'overview') {
    const compared = query.compare !== 'none';
    const figures = (scale, rate) => ({
      clicks: { total: Math.round(clicks * scale), unique: Math.round(clicks * scale * 0.78) },
      pageviews: Math.round(clicks * 3.4 * scale),
      visitors: Math.round(clicks * 1.9 * scale),
      conversions: {
        total: Math.round(conversions * scale),
        pending: Math.round(conversions * 0.3 * scale),
        approved: Math.round(conversions * 0.7 * scale),
        rejected: Math.round(conversions * 0.08 * scale),
        reversed: Math.round(conversions * 0.05 * scale),
        average_commission: conversions ? Math.round((revenue / conversions) * 100) / 100 : 0,
      },
      revenue: {
        total: Math.round(revenue * scale * 100) / 100,
        pending: Math.round(revenue * 30 * scale) / 100,
        approved: Math.round(revenue * 70 * scale) / 100,
        reversed: Math.round(revenue * 4 * scale) / 100,
        active_partners: nothing ? 0 : 10,
      },
      conversion_rate: clicks ? Math.round((conversions / clicks) * 10_000 * rate) / 100 : 0,
    });
    const { range, previousRange } = shownRanges(query, ZONE);
    return {
      range,
      currency: 'USD',
      ...figures(1, 1),
      previous: compared ? figures(query.compare === 'year' ? 0.61 : 0.89, 1.04) : null,
      previousRange,
      ...coverage(previousRange),
      lastEventAt: nothing ? null : new Date(Date.now() - 2 * 60_000).toISOString(),
    };
  }
  if (name === 'partners') {
    if (nothing) return [];
    const shown = query.partner ? partners.filter((item) => query.partner.split(',').includes(item.id)) : partners;
    const weights = shown.map((_, index) => 1 / (index + 1.4));
    const total = weights.reduce((a, b) => a + b, 0);
    return shown.map((partner, index) => {
      const share = weights[index] / total;
      return {
        partnerId: partner.id,
        partnerName: partner.name,
        clicks: Math.round(clicks * share),
        conversions: Math.round(conversions * share),
        revenue: Math.round(revenue * share * 100) / 100,
        epc: Math.round((revenue / clicks) * 100) / 100,
        conversion_rate: Math.round((conversions / clicks) * 10_000) / 100,
      };
    });
  }
  if (name === 'geographic') {
    if (nothing) return [];
    const shown = query.country
      ? countries.filter(([code]) => query.country.split(',').includes(code)).map(([code]) => [code, 1])
      : countries;
    return shown.map(([code, share]) => ({
      country: code,
      countryName: code === 'ZZ' ? 'Unknown' : names.of(code),
      clicks: Math.round(clicks * share),
      conversions: Math.round(conversions * share),
      revenue: Math.round(revenue * share * 100) / 100,
    }));
  }
  if (name === 'excluded-traffic') {
    if (nothing) return [];
    return [
      ['changing_agents', 'suspicious', 0.09],
      ['crawler', 'bot', 0.06],
      ['rate', 'suspicious', 0.03],
      ['datacentre_address', 'suspicious', 0.02],
      ['prefetch', 'bot', 0.01],
    ].map(([reason, kind, share]) => ({
      reason,
      kind,
      clicks: Math.round(clicks * share),
      pageviews: Math.round(clicks * share * 2),
      events: Math.round(clicks * share) + Math.round(clicks * share * 2),
      visitors: Math.round(clicks * share * 0.8),
    }));
  }
  return delivery(series, nothing);
}

function loggedEvents({ of, limit }) {
  return Array.from({ length: Number(limit ?? 50) }, (_, index) => {
    const type = of === 'everything' ? ['pageview', 'click', 'conversion'][index % 3] : of.replace(/s$/, '');
    const isConversion = type === 'conversion';
    const at = new Date(Date.now() - index * 73_000 - 4000).toISOString();
    return {
      id: `e${index}`,
      type,
      occurredAt: at,
      receivedAt: at,
      isBot: false,
      reason: '',
      path: isConversion ? '' : ['/best-vpn-2026', '/reviews/nordvpn', '/'][index % 3],
      country: countries[index % 9][0],
      device: index % 3 ? 'desktop' : 'mobile',
      source: ['google', 'newsletter', ''][index % 3],
      linkId: type === 'pageview' ? null : `l${index % 4}`,
      partnerId: type === 'pageview' ? null : `p${(index % 4) + 1}`,
      clickId: '',
      conversionId: isConversion ? `c${index}` : null,
      change: isConversion
        ? {
            pending: 1,
            approved: 0,
            rejected: 0,
            reversed: 0,
            commissionPending: 899 + index * 31,
            commissionApproved: 0,
            commissionReversed: 0,
          }
        : null,
      topic: isConversion ? 'conversions' : type === 'click' ? 'clicks' : 'pageviews',
      partition: index % 4,
      offset: 90_321 - index,
    };
  });
}

/** 30 days of a website; each has a size of its own. */
function dailyOf(site, nothing) {
  const days = analytics('clicks', { timeRange: '30d' }, nothing);
  const scale = 0.35 + noise(site.id.length + site.domain.length * 3.7);
  return days.map((item, index) => ({
    ...item,
    clicks: Math.round(item.clicks * scale * (0.8 + 0.4 * noise(index + site.domain.length))),
    unique: Math.round(item.unique * scale),
    conversions: Math.round(item.conversions * scale),
    revenue: Math.round(item.revenue * scale * (0.7 + 0.6 * noise(index * 3 + site.domain.length)) * 100) / 100,
  }));
}

const sum = (items, field) => items.reduce((total, item) => total + item[field], 0);

function delivery(series, nothing) {
  const points = series.map((item, index) => ({
    at: item.date.length === 10 ? `${item.date}T00:00:00Z` : item.date,
    accepted: Math.round(item.pageviews * 1.3),
    duplicate: Math.round(item.pageviews * 0.03),
    bot: Math.round(item.pageviews * (0.09 + 0.06 * noise(index))),
    origin_not_allowed: Math.round(item.pageviews * 0.012),
    invalid: Math.round(item.pageviews * 0.004),
  }));
  const outcomes = Object.fromEntries(
    ['accepted', 'duplicate', 'bot', 'origin_not_allowed', 'invalid'].map((name) => [
      name,
      nothing ? 0 : sum(points, name),
    ]),
  );
  const refusals = nothing
    ? []
    : [
        {
          outcome: 'origin_not_allowed',
          partner: '',
          sample: '{"type": "pageview", "url": "https://other.example/"}',
          at: new Date(Date.now() - 70_000).toISOString(),
          id: '00000000-0000-4000-8000-000000000071',
          isReplayable: false,
          code: 'origin_not_allowed',
          message: "This site key may not be used from this page: its origin is not in the key's list.",
          endpoint: 'POST /track',
          count: 14,
        },
        {
          at: new Date(Date.now() - 900_000).toISOString(),
          id: '00000000-0000-4000-8000-000000000072',
          isReplayable: true,
          outcome: 'invalid',
          partner: 'fjordlin',
          sample: '{"txid": "T-1"}',
          code: 'unknown_partner',
          message: 'partner is not the slug of a partner',
          endpoint: '/postback',
          count: 1,
        },
        {
          outcome: 'invalid',
          partner: '',
          sample: '{"type": "signup", "occurred_at": "2026-01-01"}',
          at: new Date(Date.now() - 1_900_000).toISOString(),
          id: '00000000-0000-4000-8000-000000000073',
          isReplayable: false,
          code: 'invalid',
          message: 'occurred_at may be up to 24 hours back with a site key.',
          endpoint: 'POST /track',
          count: 3,
        },
      ];
  const partners = nothing
    ? []
    : [{ partner: 'fjordline', name: 'Fjordline', accepted: 48, duplicate: 3, rejected: 1 }];
  return {
    bucket: 'day',
    outcomes,
    series: points,
    reasons: refusals,
    partners,
    refusals,
    adIdsNotKept: nothing ? 0 : 3,
  };
}

function live(response, counter) {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
  });
  const send = (name) => {
    const now = Date.now();
    const count = counter ? counter() : 12;
    const recent = Array.from({ length: count }, (_, index) => {
      const type = ['pageview', 'click', 'pageview', 'conversion'][index % 4];
      return {
        id: `e${index}`,
        type,
        at: new Date(now - 900 - index * 4200).toISOString(),
        country: countries[index % 9][0],
        device: index % 3 ? 'desktop' : 'mobile',
        path: type === 'pageview' ? ['/best-vpn-2026', '/reviews/nordvpn', '/'][index % 3] : null,
        partnerName: type === 'pageview' ? null : partnerNames[index % 5],
        source: ['google', 'newsletter', null][index % 3],
      };
    });
    const perMinute = counter
      ? []
      : Array.from({ length: 30 }, (_, index) => ({
          minute: new Date(Math.floor(now / 60_000) * 60_000 - (29 - index) * 60_000).toISOString(),
          events: Math.round(20 + 22 * noise(index + 3) + index),
        }));
    response.write(
      `event: ${name}\ndata: ${JSON.stringify({ asOf: new Date(now).toISOString(), activeVisitors: counter ? count : 25, perMinute, recent, top: topOf(recent) })}\n\n`,
    );
  };
  send('snapshot');
  const timer = setInterval(() => send('update'), 1000);
  response.on('close', () => clearInterval(timer));
}

/** The last 30 minutes by dimension, here of the newest events. */
function topOf(recent) {
  const by = (valueOf) => {
    const counts = new Map();
    for (const event of recent) {
      const value = valueOf(event);
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .map(([value, count]) => ({ value, visitors: count * 4, events: count * 9 }))
      .sort((a, b) => b.visitors - a.visitors);
  };
  return {
    page: by((event) => event.path),
    source: by((event) => event.source ?? ''),
    country: by((event) => event.country),
    event: by((event) => event.type),
  };
}

/** As the gateway does it: compressed once, assets cached permanently. */
async function readBody(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text && request.headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : {};
}

/** Each read as it is answered alone, in the order in which they are known. */
async function combined(request, url, response) {
  const headers = request.headers.authorization ? { Authorization: request.headers.authorization } : {};
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  await Promise.all(
    url.searchParams.getAll('read').map(async (address, read) => {
      const answer = await fetch(`http://${request.headers.host}${address}`, { headers });
      const head = { read, status: answer.status, headers: Object.fromEntries(answer.headers) };
      response.write(`${JSON.stringify(head)}\n${(await answer.text()) || 'null'}\n`);
    }),
  ).catch(() => {}); // the server ends while one waits
  response.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startMock();
  console.log(`mock on ${url}`);
}

/** What analysts' calls answer: tables, an hour of history, a result of 10,000 rows. */
function sqlAnswer(key, input) {
  const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
  const columns = [
    { name: 'website_id', type: 'UUID', comment: 'The website' },
    { name: 'bucket', type: "DateTime('UTC')", comment: 'Start of the quarter of an hour, UTC' },
    { name: 'clicks', type: 'Int64', comment: 'Clicks' },
    { name: 'country', type: 'LowCardinality(String)', comment: 'ISO 3166-1 code; ZZ: unknown' },
  ];
  const tables = ['events', 'clicks', 'conversions', 'traffic_15m', 'partner_15m', 'country_15m', 'websites'].map(
    (name) => ({
      name,
      comment: `What happened, as ${name}`,
      columns,
      example: `SELECT count() FROM ${name}`,
    }),
  );
  const asked = (id, sql, outcome, message = '') => ({
    id,
    door: id === 'h2' ? 'clickhouse' : 'sql page',
    sql,
    tables: ['clicks'],
    outcome,
    message,
    rows: 42,
    rowsRead: 120_000,
    elapsedMs: 18,
    startedAt: at(Number(id.slice(1)) * 7),
  });
  const PARAMETERS =
    'SELECT toDate(occurred_at) AS day, count() AS clicks\nFROM clicks\nWHERE website_id = {website:UUID} AND occurred_at >= {since:Date}\nGROUP BY day ORDER BY day';
  const saved = (id, title, over) => ({
    id,
    title,
    sql: 'SELECT country, count() FROM clicks GROUP BY country',
    version: 2,
    isShared: false,
    isOwn: true,
    mayChange: true,
    authorName: 'Sigrun',
    createdAt: at(60),
    changedAt: at(60),
    ...over,
  });
  const pinned = {
    queryId: '0190f3b2-0000-4000-8000-000000000002',
    truncated: false,
    statistics: { rows: 20, rowsRead: null, elapsedMs: 9 },
    columns: [
      { name: 'day', type: 'Date' },
      { name: 'clicks', type: 'Int64' },
    ],
    rows: Array.from({ length: 20 }, (_, index) => [
      new Date(Date.now() - (20 - index) * DAY).toISOString().slice(0, 10),
      String(400 + ((index * 37) % 160)),
    ]),
  };
  const answers = {
    'GET /api/platform/sql/schema': {
      tables,
      functions: ['count', 'countIf', 'sum', 'toDate', 'uniqExact'],
      connection: { url: 'http://127.0.0.1:8123', database: 'althing', user: 'sigrun@example.com' },
      limits: {
        seconds: 30,
        rowsRead: 1e9,
        resultRows: 1e6,
        resultBytes: 268_435_456,
        pageRows: 10_000,
        memoryBytes: 1_073_741_824,
        running: 3,
      },
    },
    'GET /api/platform/sql/history': [
      asked('h1', 'SELECT country, count() AS clicks\nFROM clicks\nGROUP BY country', 'done'),
      asked('h2', 'SELECT * FROM traffic_15m', 'done'),
      asked('h3', 'DROP TABLE events', 'refused', 'Only SELECT statements can run here.'),
      asked('h4', 'SELECT count() FROM events, clicks', 'cancelled'),
    ],
    'GET /api/admin/sql/history': [
      {
        ...asked('h1', 'SELECT country, count() AS clicks FROM clicks GROUP BY country', 'done'),
        accountId: 'u1',
        email: 'sigrun@example.com',
      },
      {
        ...asked('h5', 'SELECT * FROM system.users', 'refused', 'There is no table system.users.'),
        accountId: 'u2',
        email: 'a-rather-long-address@analysts.example.com',
      },
    ],
    'GET /api/platform/sql/queries': [
      saved('s1', 'Clicks per country', {}),
      saved('s2', 'Clicks of a website since a day', { isShared: true, sql: PARAMETERS }),
      saved('s3', 'Sources of the month', { isShared: true, isOwn: false, mayChange: false, authorName: 'Ida Frost' }),
    ].map(({ sql, ...head }) => ({ ...head, excerpt: sql.slice(0, 200) })),
    'GET /api/platform/sql/queries/s1': saved('s1', 'Clicks per country', {}),
    'GET /api/platform/sql/queries/s2': saved('s2', 'Clicks of a website since a day', {
      isShared: true,
      sql: PARAMETERS,
    }),
    'GET /api/platform/sql/queries/s2/versions': [2, 1].map((number) => ({
      number,
      title: 'Clicks of a website since a day',
      sql: number === 2 ? PARAMETERS : PARAMETERS.replace('clicks\n', 'n\n'),
      restoredFrom: null,
      byAuthor: true,
      savedAt: at(60 * (3 - number)),
    })),
    'GET /api/platform/sql/pins': ['s1', 's2'].map((queryId, index) => ({
      id: `p${index + 1}`,
      queryId,
      title: index ? 'Clicks of a website since a day' : 'Clicks per country',
      version: 2,
      kind: index ? 'line' : 'bar',
      x: '',
      y: [],
      parameters: {},
      pinnedAt: at(60),
    })),
    'GET /api/platform/sql/pins/p1/result': pinned,
    'GET /api/platform/sql/pins/p2/result': pinned,
    'GET /api/platform/sql/tokens': [
      { id: 't1', name: 'Notebook', last4: 'x7Qa', createdAt: at(3000), lastUsedAt: at(4), expiresAt: at(-90 * 1440) },
    ],
    'POST /api/platform/sql/tokens': {
      id: 't2',
      name: input?.name,
      token: 'sql_Zk3pX0v8Qd2mLr7TfYw1NcHb6JsGa9Eu',
      last4: 'a9Eu',
      createdAt: at(0),
      lastUsedAt: null,
      expiresAt: at(-90 * 1440),
    },
    'POST /api/platform/sql': {
      queryId: '0190f3b2-0000-4000-8000-000000000001',
      truncated: true,
      statistics: { rows: 10_000, rowsRead: 1_204_113, elapsedMs: 37 },
      columns: [
        { name: 'day', type: 'Date' },
        { name: 'clicks', type: 'Int64' },
        { name: 'sales', type: 'Int64' },
        { name: 'source', type: 'LowCardinality(String)' },
      ],
      rows: Array.from({ length: 10_000 }, (_, index) => [
        new Date(Date.now() - (10_000 - index) * DAY).toISOString().slice(0, 10),
        String(400 + ((index * 37) % 160)),
        String((index * 7) % 23),
        index % 5 ? 'newsletter' : '',
      ]),
    },
  };
  if (key === 'POST /api/platform/sql' && /wrong/.test(input?.sql ?? ''))
    return [problem(400, 'refused', 'Line 1, column 15: There is no table wrong. Tables: clicks, events.'), 400];
  return key in answers ? [answers[key], key.startsWith('POST') && key.endsWith('tokens') ? 201 : 200] : null;
}
