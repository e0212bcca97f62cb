// Every overlay of every page is opened, and every overlay within an overlay: each must lie on top, whole, in the view.
// node e2e/overlays.mjs [path;path…] opens only these pages.
//
// Nothing is listed by hand: pages are those that the build wrote (dist/pages.json), overlays what the components mark
// (OVERLAY of src/components/ui/overlays.ts), and the ways to them are the buttons, tabs and menu items that are shown.
import { readFileSync } from 'node:fs';
import { appStarted, launch, newPage, settle } from './browser.mjs';
import { DESKTOP, PHONE } from './look.mjs';
import { startMock } from './mock-api.mjs';

const WORKERS = 3;
/** How long the code of an overlay may be on its way. */
const OPENS_MS = 5000;
const MAX_DEPTH = 3;
/** What cannot be clicked within this time is covered. */
const CLICK_MS = 4000;

/** Pages that need more than their path to show something. */
const SAMPLES = {
  '/builder/$site': '/builder/s1',
  '/builder/$site/$page': '/builder/s1/page-home',
  '/forum/member/$handle': '/forum/member/embla',
  '/forum/thread/$id': '/forum/thread/t1',
  '/links/$id': '/links/l1',
  '/links/channels/posts': '/links/channels/posts?channel=s1',
  '/marketplace/deals/$offerId': '/marketplace/deals/answer',
  '/marketplace/listing/$id': '/marketplace/listing/m1',
  '/marketplace/review/$id': '/marketplace/review/to-review',
  '/marketplace/sell': '/marketplace/sell?listing=mine',
  '/marketplace/seller/$id': '/marketplace/seller/s1',
};
/** Articles are one page; so are guides and lessons. */
const ARTICLES = /^\/(blog|help|learn)\/./;

const pages = JSON.parse(readFileSync(new URL('../dist/pages.json', import.meta.url), 'utf8'));
const only = process.argv[2]?.split(';');
const seenArticles = new Set();
const jobs = pages
  .filter((pattern) => !only || only.includes(pattern))
  .filter((pattern) => {
    const [article, kind] = ARTICLES.exec(pattern) ?? [];
    if (!article) return true;
    const isFirst = !seenArticles.has(kind);
    seenArticles.add(kind);
    return isFirst;
  })
  .flatMap((pattern) => [DESKTOP, PHONE].map((width) => ({ pattern, width })));
if (jobs.length === 0) throw new Error(`No page has the path ${process.argv[2]}.`);

const mock = await startMock();
const browser = await launch();
const failures = [];
/** Ways through the frame of all pages: opened once for each width. */
const frame = new Set();
/** Ways that opened nothing: not tried again on another page. What shows another part of a page is. */
const idle = new Set();
/** Overlays by the ways in them: what is the same on another page is looked at, but not gone through again. */
const known = new Set();
let opened = 0;
const begun = Date.now();

await proof();
await Promise.all(Array.from({ length: WORKERS }, worker));
await browser.close();
mock.close();
console.log(`${failures.length} faults in ${opened} overlays, ${Math.round((Date.now() - begun) / 1000)} s`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length > 0 || opened === 0 ? 1 : 0;

/** Said at once, and again at the end. */
function failed(text) {
  failures.push(text);
  console.log(text);
}

async function worker() {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    const at = Date.now();
    const shown = await newPage(browser, { width: job.width });
    shown.page.setDefaultTimeout(60_000);
    try {
      await explorePage(shown.page, job);
    } catch (error) {
      if (job.again) failed(`${job.pattern} ${job.width}: ${error}`);
      else jobs.push({ ...job, again: true }); // on a busy machine a browser may lose an answer
    }
    await shown.context.close().catch(() => {});
    console.log(`${job.pattern} ${job.width}: ${Math.round((Date.now() - at) / 1000)} s, ${opened} overlays so far`);
  }
}

function pathOf(pattern) {
  const path = SAMPLES[pattern] ?? pattern;
  if (path.includes('$')) throw new Error('It has parameters: add a path to SAMPLES.');
  return path;
}

async function explorePage(page, { pattern, width }) {
  const path = pathOf(pattern);
  const scripts = new Set();
  page.on('request', (request) => request.resourceType() === 'script' && scripts.add(request));
  for (const event of ['requestfinished', 'requestfailed']) page.on(event, (request) => scripts.delete(request));
  const visit = async () => {
    await page.goto(mock.url + path);
    await appStarted(page);
    await settle(page);
  };
  await visit();
  await explore([], new Set());

  /** Tries all ways that lead on from the overlays of `chain`, which are open. */
  async function explore(chain, seen) {
    const where = [`${pattern} ${width}`, ...chain].join(' > ');
    for (;;) {
      const way = await page.evaluate(nextWay, {
        seen: [...seen],
        frame: [...frame, ...idle]
          .filter((key) => key.startsWith(`${width} `))
          .map((key) => key.slice(`${width} `.length)),
        depth: chain.length,
      });
      if (!way) return;
      seen.add(way.key);
      if (way.isFrame) frame.add(`${width} ${way.key}`);
      const address = new URL(page.url()).pathname;
      try {
        await page.locator('[data-way]').first().click({ timeout: CLICK_MS });
      } catch (error) {
        if (chain.length > 0) failed(`${where}: "${way.name}" cannot be clicked: ${String(error).split('\n')[0]}`);
        await restore(chain, address);
        continue;
      }
      if ((await overlaysAfterClick(chain.length)) > chain.length) {
        opened += 1;
        const inner = [...chain, way.name];
        for (const fault of await page.evaluate(faultsOfTop)) failed(`${where} > ${way.name}: ${fault}`);
        const ways = `${width} ${await page.evaluate(waysOfTop)}`;
        if (inner.length < MAX_DEPTH && !known.has(ways)) {
          known.add(ways);
          await explore(inner, new Set());
        }
      } else if (!way.isPart) {
        idle.add(`${width} ${way.key}`);
      }
      await restore(chain, address);
    }
  }

  async function overlaysAfterClick(before) {
    const end = Date.now() + OPENS_MS;
    let count = before;
    for (let quiet = 0; quiet < 3 && Date.now() < end; quiet = scripts.size > 0 ? 0 : quiet + 1) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
      count = await page.locator('[data-overlay]').count();
      if (count > before) break;
    }
    return count;
  }

  /** Opens the overlays of `chain` again, where they are not. */
  async function restore(chain, address) {
    for (let tries = 0; tries < MAX_DEPTH + 1; tries += 1) {
      if ((await page.locator('[data-overlay]').count()) <= chain.length) break;
      await page.keyboard.press('Escape');
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
    }
    const isThere = new URL(page.url()).pathname === address;
    if (isThere && (await page.locator('[data-overlay]').count()) === chain.length) return;
    await visit();
    for (const [depth, name] of chain.entries()) {
      const found = await page.evaluate(markNamed, { name, depth });
      if (!found) return; // it was taken away; its other ways are gone with it
      await page.locator('[data-way]').first().click({ timeout: CLICK_MS });
      await overlaysAfterClick(depth);
    }
  }
}

/** Runs in the page: marks the next way that was not tried, of the topmost overlay, else of the page. */
function nextWay({ seen, frame, depth }) {
  const overlays = [...document.querySelectorAll('[data-overlay]')];
  for (const item of document.querySelectorAll('[data-way]')) item.removeAttribute('data-way');
  if (overlays.length < depth) return null;
  const root = overlays.at(-1) ?? document;
  const ways = [
    ...root.querySelectorAll('button:not([type=submit]), [role=button], [role=menuitem], [role=option][aria-haspopup]'),
    ...root.querySelectorAll('summary'),
    ...root.querySelectorAll('[role=tab]'),
  ];
  for (const item of ways) {
    if (item.disabled || item.getAttribute('aria-disabled') === 'true' || !item.checkVisibility()) continue;
    if (item.closest('[data-toast], [inert]') || item.closest('[data-overlay]') !== (overlays.at(-1) ?? null)) continue;
    const name = (item.getAttribute('aria-label') ?? item.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
    if (/sign out|log ?out|^close$|^cancel$|^dismiss$/i.test(name)) continue;
    // Of rows, one: they have the same look, the same icon and the same first word.
    const look = [
      item.getAttribute('role') ?? item.tagName,
      item.className,
      item.querySelector('svg')?.classList.value,
    ];
    const word = item.hasAttribute('aria-label') ? name.split(' ')[0] : name.replace(/\d+/g, '#');
    const key = [...look, word].join('|');
    const isFrame = depth === 0 && item.closest('header, footer, nav, aside') !== null && !item.closest('main');
    if (seen.includes(key) || frame.includes(key)) continue;
    item.setAttribute('data-way', '');
    const isPart = item.matches('summary, [role=tab], [aria-expanded]');
    return { key, name, isFrame, isPart };
  }
  return null;
}

/** Runs in the page: what tells one overlay from another. */
function waysOfTop() {
  const top = [...document.querySelectorAll('[data-overlay]')].at(-1);
  const ways = [...top.querySelectorAll('button, [role=menuitem], summary, [role=tab]')].map((item) =>
    [item.className, (item.getAttribute('aria-label') ?? item.textContent ?? '').trim().split(' ')[0]].join('|'),
  );
  return [...new Set(ways)].sort().join();
}

/** Runs in the page. */
function markNamed({ name, depth }) {
  const overlays = [...document.querySelectorAll('[data-overlay]')];
  for (const item of document.querySelectorAll('[data-way]')) item.removeAttribute('data-way');
  const root = depth === 0 ? document : overlays[depth - 1];
  const found = [...(root?.querySelectorAll('button, [role=button], [role=menuitem], summary, [role=tab]') ?? [])].find(
    (item) =>
      (item.getAttribute('aria-label') ?? item.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 60) === name &&
      item.checkVisibility(),
  );
  found?.setAttribute('data-way', '');
  return found !== undefined;
}

/** Runs in the page: what is wrong with the overlay that was opened last. */
function faultsOfTop() {
  const STEPS = 6;
  const INSET = 12; // corners are round
  const top = [...document.querySelectorAll('[data-overlay]')].at(-1);
  for (const item of document.getAnimations()) {
    if (item.effect?.getComputedTiming().endTime !== Infinity) item.finish();
  }
  const { left, right, top: upper, bottom } = top.getBoundingClientRect();
  const faults = [];
  if (right - left < 2 * INSET || bottom - upper < 2 * INSET) return ['it has no size'];
  if (left < -1 || upper < -1 || right > window.innerWidth + 1 || bottom > window.innerHeight + 1)
    faults.push(`it leaves the view: ${[left, upper, right, bottom].map(Math.round).join(', ')}`);
  const over = new Set();
  for (let column = 0; column <= STEPS; column += 1) {
    for (let row = 0; row <= STEPS; row += 1) {
      const x = left + INSET + ((right - left - 2 * INSET) * column) / STEPS;
      const y = upper + INSET + ((bottom - upper - 2 * INSET) * row) / STEPS;
      if (x < 0 || y < 0 || x >= window.innerWidth || y >= window.innerHeight) continue;
      const hit = document.elementFromPoint(x, y);
      if (hit && !top.contains(hit) && !hit.closest('[data-toast]'))
        over.add(hit.closest('[aria-label], [role=dialog], [class]')?.outerHTML.slice(0, 120) ?? hit.tagName);
    }
  }
  for (const item of over) faults.push(`something lies over it: ${item}`);
  return faults;
}

/** What is planted must be found, else the looks cannot be believed. */
async function proof() {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  const planted = [
    ['z-index: 40', /lies over it/],
    ['z-index: 60; left: 700px', /leaves the view/],
    ['z-index: 60', null],
  ];
  for (const [style, expected] of planted) {
    await page.setContent(`<style>div { position: fixed; width: 300px; height: 300px; left: 100px; top: 100px }</style>
      <div data-overlay role="dialog" style="z-index: 50"></div><div data-overlay style="${style}">List</div>`);
    const found = (await page.evaluate(faultsOfTop)).join();
    if (expected ? !expected.test(found) : found !== '') failed(`planted "${style}", found: "${found}"`);
  }
  await page.close();
}
