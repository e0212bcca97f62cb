// How soon a page can be read and used on a slow phone: 4x CPU throttling and slow 4G, nothing cached, the built app
// with seeded answers. Every public page 390 px wide, the members' charts on a wide screen; of the other pages of members
// only how much moves while they load. Medians of several loads, each in a browser context of its own, pages taken in
// turns. And how soon the analytics page shows a change of range or filter once it is loaded, how many calls of the API its
// load takes, and when the last one is answered: on a desktop, without throttling.
//   node e2e/vitals.mjs             prints the figures; code 1 when one is over its budget
//   node e2e/vitals.mjs --json      prints them as JSON for the benchmarks' page; a time never fails it
//   node e2e/vitals.mjs --paints    prints also what was painted largest, and what moved, and when, in a page's last load
// RUNS sets how often each page is loaded (5; those that only have text, 3; where only moves count, 2).
// ONLY=/about,/blog loads these paths alone.
// PAGES=[{"name","url","limits"}] measures these pages of another server, as a phone loads them, in place of the app's.
import { appStarted, calm, launch, newPage } from './browser.mjs';
import { FIRST_VIEW_LIMITS, firstView } from './first-view.mjs';
import { startMock } from './mock-api.mjs';

const RUNS = Number(process.env.RUNS ?? 5);
const CPU_TIMES = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const SETTLED_MS = 2000;
const CLS = 0.02;
const PUBLIC = { lcp: 2500, ready: 2500, tbt: 400, cls: CLS };
const ANALYTICS = { lcp: 2500, ready: 4000, tbt: 1000, cls: CLS, event: 350 };
const PHONE = { width: 390, height: 844, signedIn: false };
const FEW = Math.min(RUNS, 3);
const chart = (page) => page.getByRole('slider', { name: /over time$/ }).waitFor();
const row = (page) => page.getByRole('button', { name: 'Filter by /reviews/nordvpn' });
const text = (name, path) => ({ name, path, ...PHONE, ready: appStarted, limits: PUBLIC, runs: FEW });
/** Pages of members whose parts come one after the other: nothing may move meanwhile. */
const steady = (name, path, size = {}) => ({
  name,
  path,
  ...size,
  ready: (page) => page.locator('main h1').waitFor(),
  limits: { cls: CLS },
  runs: Math.min(RUNS, 2),
});
const NARROW = { width: 390, height: 844 };
const EVERY = [
  { name: 'home', path: '/', ...PHONE, ready: appStarted, limits: PUBLIC },
  {
    name: 'consulting',
    path: '/consulting',
    ...PHONE,
    ready: (page) => page.locator('form:not([inert])').waitFor(),
    limits: PUBLIC,
  },
  { name: 'article', path: '/blog/server-side-postbacks', ...PHONE, ready: appStarted, limits: PUBLIC },
  { name: 'api docs', path: '/docs/api', ...PHONE, ready: appStarted, limits: PUBLIC },
  { name: 'login', path: '/login', ...PHONE, ready: (page) => page.getByLabel('Email').waitFor(), limits: PUBLIC },
  text('about', '/about'),
  text('pricing', '/pricing'),
  text('integrations', '/integrations'),
  text('careers', '/careers'),
  text('contact', '/contact'),
  text('blog', '/blog'),
  text('help center', '/help'),
  text('guide', '/help/install-the-script'),
  text('privacy policy', '/privacy'),
  text('terms of service', '/terms'),
  text('marketplace', '/marketplace'),
  text('listing', '/marketplace/listing/l1'),
  text('forum', '/forum'),
  text('thread', '/forum/thread/t1'),
  {
    name: 'dashboard',
    path: '/dashboard?website=w1',
    ready: (page) => page.getByTestId('kpi-Revenue').waitFor(),
    limits: { ...PUBLIC, ready: 4000 },
  },
  steady('learning hub of a member', '/learn'),
  steady('account settings', '/account-settings'),
  steady('account settings on a phone', '/account-settings', NARROW),
  steady('sql', '/sql'),
  steady('sql on a phone', '/sql', NARROW),
  steady('insights', '/insights'),
  steady('all websites', '/websites'),
  steady('links', '/links'),
  steady('links on a phone', '/links', NARROW),
  steady('one link', '/links/l1'),
  steady('one link on a phone', '/links/l1', NARROW),
  steady('conversions', '/conversions'),
  steady('conversions on a phone', '/conversions', NARROW),
  steady('payouts', '/payouts'),
  steady('matching', '/affiliate-matching'),
  steady('projections', '/admin/projections'),
  steady('analytics on a phone', '/analytics', NARROW),
  { name: 'analytics', path: '/analytics', ready: chart, change: 't', limits: ANALYTICS },
  {
    name: 'analytics, 90 days in the chart',
    path: '/analytics?chart=90d',
    ready: chart,
    change: 'd',
    limits: ANALYTICS,
  },
];
/** Once loaded: ranges by their keys, and a filter that a row of a card sets and its chip removes. */
const CHANGES = {
  name: 'analytics, once loaded',
  path: '/analytics',
  limits: { change: 150 },
  ready: (page) => row(page).waitFor(),
  rounds: 8,
  of: [
    (page) => page.keyboard.press('w'),
    (page) => row(page).click(),
    (page) => page.keyboard.press('d'),
    (page) => page.getByRole('button', { name: /^Remove filter/ }).click(),
    (page) => page.keyboard.press('t'),
  ],
};
const DESKTOP = { name: 'analytics, on a desktop', limits: FIRST_VIEW_LIMITS };
const only = process.env.ONLY?.split(',');
const given = process.env.PAGES ? JSON.parse(process.env.PAGES) : null;
const phone = ({ name, url, limits }) => ({
  name,
  path: url,
  ...PHONE,
  scale: 1.75,
  ready: (page) => page.locator('h1').waitFor(),
  limits,
});
const PAGES = given?.map(phone) ?? EVERY.filter(({ path }) => !only || only.includes(path));
const FIGURES = [
  { id: 'lcp', name: 'largest contentful paint', unit: 'ms' },
  { id: 'ready', name: 'content ready', unit: 'ms' },
  { id: 'tbt', name: 'total blocking time', unit: 'ms' },
  { id: 'cls', name: 'layout shift', unit: '' },
  { id: 'event', name: 'slowest event of a change of range', unit: 'ms' },
  { id: 'change', name: 'change of range or filter to the next paint, p95', unit: 'ms' },
  { id: 'calls', name: 'calls of the API until it is quiet', unit: '' },
  { id: 'quiet', name: 'last call answered', unit: 'ms' },
  { id: 'fold', name: 'end of the top pages and sources', unit: 'px' },
];

const mock = given ? null : await startMock();
const browser = await launch();
const loads = new Map(PAGES.map((page) => [page.name, []]));
for (let run = 0; run < RUNS; run += 1) {
  for (const page of PAGES) {
    if (run < (page.runs ?? RUNS)) loads.get(page.name).push(await load(page));
  }
}
if (!given && (!only || only.includes(CHANGES.path))) {
  PAGES.push(CHANGES);
  loads.set(CHANGES.name, [{ change: await changes(CHANGES) }]);
  PAGES.push(DESKTOP);
  loads.set(DESKTOP.name, []);
  for (let run = 0; run < FEW; run += 1) loads.get(DESKTOP.name).push(await firstView(browser, mock.url));
}
await browser.close();
mock?.close();

const results = PAGES.flatMap(({ name, limits }) =>
  FIGURES.filter(({ id }) => limits[id] !== undefined).map((figure) => ({
    page: name,
    ...figure,
    value: median(loads.get(name).map((item) => item[figure.id])),
    limit: limits[figure.id],
  })),
);
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(results));
} else {
  for (const { page, name, value, unit, limit, ...result } of results)
    console.log(
      `${isOver({ ...result, value, limit }) ? 'OVER' : 'ok  '} ${page}: ${name} ${show(value)} ${unit} (limit ${limit})`,
    );
  if (process.argv.includes('--paints')) {
    for (const { name } of PAGES) {
      const { paints = [], moves = [], of = [] } = loads.get(name).at(-1);
      if (of.length > 0) console.log(`     ${name}: ${of.join(' ')}`);
      for (const { at, size, what } of paints) console.log(`     ${name}: ${Math.round(at)} ms, ${size} px², ${what}`);
      for (const { at, by, what } of moves)
        console.log(`     ${name}: ${Math.round(at)} ms, moved ${show(by)}, ${what}`);
    }
  }
  process.exitCode = results.some(isOver) ? 1 : 0;
}

/** One cold load. `tbt` counts until two seconds after the content is ready. */
async function load({ path, signedIn = true, width, height, scale, ready, change }) {
  const { page, context } = await newPage(browser, { signedIn, width, height, scale });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', SLOW_4G);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_TIMES });
  await page.addInitScript(observe);
  await page.goto(new URL(path, mock?.url).href, { waitUntil: 'commit' });
  await ready(page);
  const at = await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))),
  );
  await page.waitForTimeout(SETTLED_MS);
  const figures = await page.evaluate(() => globalThis.vitals());
  if (change) {
    await page.evaluate(() => (globalThis.slowestEvent = 0));
    await page.keyboard.press(change);
    await page.waitForTimeout(SETTLED_MS);
  }
  const event = await page.evaluate(() => globalThis.slowestEvent);
  await context.close();
  return { ...figures, ready: at, event };
}

/** The 95th percentile of the longest event of each change: from the input to the paint after it. */
async function changes({ path, ready, rounds, of }) {
  const { page, context } = await newPage(browser);
  await page.addInitScript(observe);
  await page.goto(mock.url + path);
  await ready(page);
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const change of of) {
      await page.evaluate(() => (globalThis.slowestEvent = 0));
      await change(page);
      await calm(page, { busy: true }); // cards out of view wait until they are seen
      took.push(await page.evaluate(() => globalThis.slowestEvent));
    }
  }
  await context.close();
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.95)];
}

/** Runs in the page before anything of it does. */
function observe() {
  let lcp = 0;
  const paints = [];
  const moves = [];
  const named = (node) => `${node?.nodeName.toLowerCase()} "${node?.textContent?.slice(0, 50)}"`;
  let cls = 0;
  let tasks = [];
  const watch = (type, take, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  watch('largest-contentful-paint', (entry) => {
    lcp = entry.startTime;
    paints.push({
      at: entry.startTime,
      size: entry.size,
      what: named(entry.element),
    });
  });
  watch('layout-shift', (entry) => {
    cls += entry.hadRecentInput ? 0 : entry.value;
    moves.push({ at: entry.startTime, by: entry.value, what: entry.sources.map(({ node }) => named(node)).join(', ') });
  });
  watch('longtask', (entry) => tasks.push(entry));
  globalThis.slowestEvent = 0;
  watch('event', (entry) => (globalThis.slowestEvent = Math.max(globalThis.slowestEvent, entry.duration)), {
    durationThreshold: 16,
  });
  globalThis.vitals = () => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
    const tbt = tasks
      .filter((entry) => entry.startTime >= painted)
      .reduce((sum, entry) => sum + entry.duration - 50, 0);
    return { lcp, cls, tbt, paints, moves };
  };
}

/** A page of which nothing was painted, or nothing measured, is over as well. */
function isOver({ id, value, limit }) {
  return !(value <= limit) || (id === 'lcp' && value === 0);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function show(value) {
  return value < 10 ? value.toFixed(3) : Math.round(value).toString();
}
