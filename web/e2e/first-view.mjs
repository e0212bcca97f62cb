// What a person meets who opens the analytics page on a desktop: the calls of the API that its load takes, when the last
// one is answered, and how far down the top pages and sources reach. The built app with the seeded answers of mock-api.mjs.
//   node e2e/first-view.mjs   code 1 when it takes too many calls, or pages and sources are below the fold
import { launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

/** The height of a laptop's screen. */
const FOLD = 900;
export const FIRST_VIEW_LIMITS = { calls: 12, quiet: 2000, fold: FOLD };
const CARDS = ['Pages', 'Sources'];
/** So many rows of each card are its top. */
const TOP_ROWS = 3;
const SETTLED_MS = 2000;

/** The figures of one load. The live stream is one call, which is never answered. */
export async function firstView(browser, url) {
  const { page, context } = await newPage(browser, { width: 1440, height: FOLD });
  const of = [];
  let answered = 0;
  const isCall = (request) => new URL(request.url()).pathname.startsWith('/api/');
  page.on('request', (request) => isCall(request) && of.push(new URL(request.url()).pathname));
  const begun = performance.now();
  page.on('requestfinished', (request) => {
    if (isCall(request)) answered = performance.now() - begun;
  });
  await page.goto(`${url}/analytics`);
  await page.getByRole('button', { name: 'Filter by /reviews/nordvpn' }).waitFor();
  for (let known = -1; known !== of.length; await page.waitForTimeout(SETTLED_MS)) known = of.length;
  const quiet = answered;
  const calls = [...of];
  await settle(page);
  const fold = await page.evaluate(bottomOfRows, { cards: CARDS, rows: TOP_ROWS });
  await context.close();
  return { calls: calls.length, quiet, fold, of: calls };
}

/** Runs in the page, at its top. Infinite where a card lacks the rows. */
function bottomOfRows({ cards, rows }) {
  const bottoms = cards.map((name) => {
    const row = document.querySelectorAll(`section[aria-label="${name}"] li`)[rows - 1];
    return row ? row.getBoundingClientRect().bottom + window.scrollY : Infinity;
  });
  return Math.max(...bottoms);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const mock = await startMock();
  const browser = await launch();
  const { calls, fold, of } = await firstView(browser, mock.url);
  await browser.close();
  mock.close();
  const faults = [
    ...(calls > FIRST_VIEW_LIMITS.calls
      ? [`the analytics page takes ${calls} calls, at most ${FIRST_VIEW_LIMITS.calls} are allowed: ${of.join(' ')}`]
      : []),
    ...(fold > FIRST_VIEW_LIMITS.fold
      ? [`top pages and sources end at ${Math.round(fold)} px, below the fold at ${FIRST_VIEW_LIMITS.fold} px`]
      : []),
  ];
  console.log(`${calls} calls; top pages and sources end at ${Math.round(fold)} px`);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
