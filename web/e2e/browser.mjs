import { chromium } from '@playwright/test';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const USER = { id: 'u1', email: 'sigrun@example.com', name: 'Sigrún Jónsdóttir', roles: ['admin'] };

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

/**
 * A page in a theme and width, signed in or not; what the console and the policy complain about is collected.
 * With `contexts`, pages of one kind share the browser's caches, one after the other; what a page stored is gone for the next.
 */
export async function newPage(browser, { theme = 'light', width = 1440, height = 900, signedIn = true, website = false, contexts } = {}) {
  const kind = JSON.stringify([theme, signedIn, website]);
  const context = contexts?.get(kind) ?? await newContext(browser, { theme, width, height, signedIn, website });
  contexts?.set(kind, context);
  await context.clearCookies();
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints };
}

async function newContext(browser, { theme, width, height, signedIn, website }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' });
  await context.addInitScript(({ user, signedIn, website, theme }) => {
    if (window.name !== 'begun') localStorage.clear();
    window.name = 'begun';
    localStorage.setItem('theme', theme);
    if (signedIn) {
      localStorage.setItem('authToken', 'token');
      localStorage.setItem('user', JSON.stringify(user));
    }
    if (website) localStorage.setItem('websiteSession', JSON.stringify({ token: 'wt_1', website: { id: 'w1', domain: 'vpnreview.is' }, user }));
  }, { user: USER, signedIn, website, theme });
  return context;
}

/** The app has taken the place of the text with which the document came. */
export const appStarted = (page) => page.locator('#root:not([data-built]) h1').first().waitFor();

/** Scrolls once through the page, so that what is drawn near the view is drawn. */
export async function settle(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      window.scrollTo(0, y);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    window.scrollTo(0, 0);
  });
  await page.waitForFunction(() => !document.querySelector('.animate-pulse, [role=status] > .animate-spin'));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
