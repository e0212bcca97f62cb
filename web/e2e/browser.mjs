import { chromium } from '@playwright/test';
import { BLANK } from './mock-api.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export const USER = { id: 'u1', email: 'sigrun@example.com', name: 'Sigrún Jónsdóttir', roles: ['admin'] };

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

/** How long anything may take: for machines that are much slower, and busy. */
const DEADLINE_MS = 60_000;
const LIVE_MS = 10_000;

/** A page in a theme and width, signed in or not; what the console and the policy complain about is collected. */
export async function newPage(
  browser,
  { theme = 'light', width = 1440, height = 900, scale = 1, signedIn = true, website = false, script } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(DEADLINE_MS);
  await context.addInitScript(
    ({ user, signedIn, website, theme }) => {
      if (location.protocol === 'about:') return;
      if (window.name !== 'begun') {
        localStorage.clear();
        sessionStorage.clear();
      }
      window.name = 'begun';
      localStorage.setItem('theme', theme);
      if (signedIn) {
        localStorage.setItem('authToken', 'token');
        localStorage.setItem('user', JSON.stringify(user));
      }
      if (website)
        localStorage.setItem(
          'websiteSession',
          JSON.stringify({ token: 'wt_1', website: { id: 'w1', domain: 'vpnreview.is' }, user }),
        );
    },
    { user: USER, signedIn, website, theme },
  );
  if (script) await context.addInitScript({ content: script });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints };
}

/** Leaves what `page` shows: its next load begins as in a new browser, but in a process that is warm, with a cache that is full. */
export async function leave({ page, context, complaints }) {
  await page.goto(new URL(BLANK, page.url()).href);
  await page.evaluate(() => {
    window.name = '';
  });
  await context.clearCookies();
  complaints.length = 0;
}

/** The app has taken the place of the text with which the document came. */
export const appStarted = (page) => page.locator('#root:not([data-built]) h1').first().waitFor();

/** What shows that a part of the page is loading, or not drawn yet. */
const LOADING = '.animate-pulse, [role=status] > .animate-spin, [data-below], aside:empty';

/** Scrolls through the page, so that what is drawn near the view is drawn; again, until that has come, and once more for
 *  what was drawn elsewhere while the page was idle, and loads when it comes near. */
export async function settle(page) {
  const end = Date.now() + DEADLINE_MS;
  do {
    await scrollThrough(page);
    await calm(page, { busy: true });
  } while (Date.now() < end && (await page.locator(LOADING).count()) > 0);
  await scrollThrough(page);
  await calm(page);
}

const scrollThrough = (page) =>
  page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += window.innerHeight - 100) {
      window.scrollTo(0, y);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))); // after the frame: observers of the view have run
    }
    window.scrollTo(0, 0);
  });

/**
 * No finite animation runs, no font is on its way (texts of another are wider), nothing changed while two frames were
 * drawn, and nothing is still loading (unless `busy`). What goes on changing for ten seconds is live, and not waited for: frames can be rarer than its news.
 */
export const calm = (page, { busy = false } = {}) =>
  page.evaluate(
    async ({ busy, deadline, live, loading }) => {
      let changes = 0;
      const observer = new MutationObserver((records) => {
        changes += records.length;
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const moves = () =>
        document
          .getAnimations()
          .some((item) => item.playState === 'running' && item.effect?.getComputedTiming().endTime !== Infinity);
      const awaitsFont = () => document.fonts.status === 'loading';
      const loads = () => !busy && document.querySelector(loading) !== null;
      const why = () => {
        if (awaitsFont()) return 'it waits for a font';
        const waits = [...document.querySelectorAll(loading)].map((item) => item.outerHTML.slice(0, 200));
        return loads() ? `it still loads\n    ${waits.join('\n    ')}` : 'it still moves';
      };
      const began = performance.now();
      for (let still = 0; still < 2; still += 1) {
        changes = 0;
        await frame();
        const passed = performance.now() - began;
        if ((changes > 0 && passed < live) || moves() || awaitsFont() || loads()) still = -1;
        if (passed > deadline) throw new Error(`It does not come to rest: ${why()}.`);
      }
      observer.disconnect();
    },
    { busy, deadline: DEADLINE_MS, live: LIVE_MS, loading: LOADING },
  );
