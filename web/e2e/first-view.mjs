// What a person meets who opens the analytics page on a desktop: the calls of the API that its load takes, when the last
// one is answered, and how far down the top pages and sources reach. The built app with the seeded answers of mock-api.mjs.
//   node e2e/first-view.mjs   code 1 when pages and sources are below the fold; on a busy machine the others say little, and
//                             are held by the benchmark (vitals.mjs) and by a test of the page (app/pages/analytics.test.tsx)
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
  const { calls, quiet, fold } = await firstView(browser, mock.url);
  await browser.close();
  mock.close();
  console.log(
    `${calls} calls, quiet after ${Math.round(quiet)} ms; top pages and sources end at ${Math.round(fold)} px`,
  );
  if (fold > FOLD) {
    console.error(`Top pages and sources end below the fold at ${FOLD} px.`);
    process.exitCode = 1;
  }
}
