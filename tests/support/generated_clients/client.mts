// Twenty operations through a client whose types are generated: the compiler checks each path, body and field.
// Arguments: address of the app, of the tracking API, email, password, and ids as JSON. Prints what was called.
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [app, tracking, email, password, given] = process.argv.slice(2) as [string, string, string, string, string];
const ids = JSON.parse(given) as {
  website: string;
  partner: string;
  conversion: string;
  siteKey: string;
  secretKey: string;
};
const called: string[] = [];

async function ok<T>(name: string, call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw new Error(`${name}: ${response.status} ${JSON.stringify(error)}`);
  called.push(name);
  return data as T;
}

const anybody = createClient<paths>({ baseUrl: app });
const about = await ok('getAbout', anybody.GET('/api/platform/about'));
const session = await ok('login', anybody.POST('/api/platform/login', { body: { email, password } }));
if (!('token' in session)) throw new Error('no session');
const api = createClient<paths>({ baseUrl: app, headers: { Authorization: `Bearer ${session.token}` } });
const query = { websiteId: ids.website };

const made = await ok(
  'connectWebsite',
  api.POST('/api/platform/websites', {
    body: { domain: `ts-${Date.now()}.example`, timezone: 'UTC', currency: 'EUR' },
  }),
);
await ok(
  'updateWebsite',
  api.PATCH('/api/platform/websites/{id}', { params: { path: { id: made.id } }, body: { timezone: 'Europe/Berlin' } }),
);
await ok(
  'createKey',
  api.POST('/api/platform/websites/{id}/keys', {
    params: { path: { id: made.id } },
    body: { kind: 'site', name: 'Site' },
  }),
);
await ok('getWebsites', api.GET('/api/platform/websites'));
const link = await ok(
  'createLink',
  api.POST('/api/platform/links', { body: { websiteId: ids.website, partnerId: ids.partner } }),
);
const changed = await ok(
  'updateLink',
  api.PATCH('/api/platform/links/{id}', { params: { path: { id: link.id } }, body: { tags: ['typed'] } }),
);
const many = await ok(
  'createLinks',
  api.POST('/api/platform/links/bulk', { body: { links: [{ websiteId: ids.website, partnerId: ids.partner }] } }),
);
await ok('deleteLink', api.DELETE('/api/platform/links/{id}', { params: { path: { id: many.links[0]!.id } } }));
await ok('getLinks', api.GET('/api/platform/links', { params: { query } }));
const note = await ok(
  'addAnnotation',
  api.POST('/api/platform/annotations', { body: { ...query, at: '2026-11-01T00:00:00Z', text: 'New page' } }),
);
await ok(
  'changeAnnotation',
  api.PATCH('/api/platform/annotations/{id}', { params: { path: { id: note.id } }, body: { text: 'Newer page' } }),
);
const overview = await ok(
  'getOverviewAnalytics',
  api.GET('/api/platform/analytics/overview', { params: { query: { ...query, timeRange: '30d' } } }),
);
const csv = await ok(
  'getClicksCsvAnalytics',
  api.GET('/api/platform/analytics/clicks.csv', { params: { query }, parseAs: 'text' }),
);
await ok('getConversions', api.GET('/api/platform/conversions', { params: { query } }));
await ok(
  'rejectConversion',
  api.POST('/api/platform/conversions/{id}/reject', {
    params: { path: { id: ids.conversion } },
    body: { reason: 'returned' },
  }),
);
await ok('setAlert', api.POST('/api/platform/alerts', { body: { ...query, kind: 'no_events', enabled: true } }));
await ok('getThreads', anybody.GET('/api/forum/threads'));
const missing = await api.GET('/api/platform/links/{id}', { params: { path: { id: made.id } } });
if (missing.error?.code !== 'not_found') throw new Error('an unknown link');

const pixel = createClient<paths>({ baseUrl: tracking, headers: { Authorization: `Bearer ${ids.siteKey}` } });
const server = createClient<paths>({ baseUrl: tracking, headers: { Authorization: `Bearer ${ids.secretKey}` } });
const stored = await ok('track', pixel.POST('/track', { body: [{ type: 'pageview', url: 'https://own.example/' }] }));
const sale = { txid: `ts-${Date.now()}`, visitor_id: 'user-42', amount: 4990, currency: 'USD' };
const reported = await ok('trackSale', server.POST('/track/sale', { body: sale }));
await ok('getTrackedConversion', server.GET('/track/conversions/{id}', { params: { path: { id: reported.id } } }));

console.log(
  JSON.stringify({
    called,
    name: about.name,
    tags: changed.tags,
    clicks: overview.clicks.total,
    csv: csv.split('\r\n')[0],
    accepted: stored.accepted,
    status: reported.status,
  }),
);
