// Accessibility of every screen and open dialog, in both themes, on a desk and on a phone. Any violation fails.
// node e2e/axe.mjs [name,name…] checks only these states.
import AxeBuilder from '@axe-core/playwright';
import { launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

const mock = await startMock();
const empty = await startMock({ empty: true });
const first = await startMock({ first: true });
const browser = await launch();

const named = (role, name) => (page) => page.getByRole(role, { name }).first().click();
const STATES = [
  { name: 'home', path: '/', signedIn: false },
  { name: 'login', path: '/login', signedIn: false },
  { name: 'login, wrong', path: '/login', signedIn: false, act: named('button', 'Sign In') },
  { name: 'login, toast', path: '/login', signedIn: false, act: (page) => signIn(page, 'a@example.com', 'wrong-password') },
  { name: 'login, code', path: '/login', signedIn: false, act: (page) => signIn(page, 'two@example.com', 'right-password') },
  { name: 'setup', path: '/setup?token=abc', signedIn: false },
  { name: 'missing', path: '/nowhere', signedIn: false },
  { name: 'dashboard', path: '/dashboard' },
  { name: 'dashboard, first', path: '/dashboard', base: first.url },
  { name: 'dashboard, create link', path: '/dashboard', act: named('button', 'Create link') },
  { name: 'account menu', path: '/dashboard', act: named('button', /^Account of/) },
  { name: 'analytics', path: '/analytics' },
  { name: 'analytics, filtered', path: '/analytics?range=24h&f=is,partner,p2' },
  { name: 'analytics, tables', path: '/analytics', act: tables },
  { name: 'analytics, dates', path: '/analytics', act: named('button', 'Choose dates') },
  { name: 'analytics, filter', path: '/analytics', act: named('button', 'Add filter') },
  { name: 'analytics, reject', path: '/analytics', act: named('button', /^Reject /) },
  { name: 'analytics, empty', path: '/analytics', base: empty.url },
  { name: 'analytics, nothing yet', path: '/analytics', base: first.url },
  { name: 'settings', path: '/account-settings' },
  { name: 'websites', path: '/account-settings?tab=websites' },
  { name: 'new key', path: '/account-settings?tab=websites', act: named('button', 'New key') },
  { name: 'onboarding', path: '/onboarding' },
  { name: 'shortcuts', path: '/dashboard', act: (page) => page.keyboard.press('?') },
  { name: 'palette', path: '/dashboard', act: (page) => page.keyboard.press('Control+k') },
  { name: 'phone menu', path: '/dashboard', phone: true, act: named('button', 'Open menu') },
];

const wanted = process.argv[2]?.split(',');
let faults = 0;
for (const theme of ['light', 'dark']) {
  for (const width of [1440, 390]) {
    for (const state of STATES) {
      if ((state.phone && width > 600) || (wanted && !wanted.includes(state.name))) continue;
      const { page, context, complaints } = await newPage(browser, { theme, width, signedIn: state.signedIn ?? true });
      await page.goto((state.base ?? mock.url) + state.path);
      await page.locator('h1').first().waitFor();
      await settle(page);
      await state.act?.(page);
      await page.waitForFunction(() => document.getAnimations().every((item) => item.playState !== 'running' || item.effect?.getTiming().iterations === Infinity));
      const { violations } = await new AxeBuilder({ page }).analyze();
      for (const violation of violations) {
        faults += violation.nodes.length;
        console.log(`${state.name} ${theme} ${width}: ${violation.id}: ${violation.help}`);
        for (const node of violation.nodes.slice(0, 3)) console.log(`    ${node.html.slice(0, 200)}\n    ${node.failureSummary.replaceAll('\n', ' ').slice(0, 300)}`);
      }
      for (const text of complaints.filter((item) => !(state.name === 'login, toast' && item.includes('401')))) {
        faults += 1;
        console.log(`${state.name} ${theme} ${width}: console: ${text}`);
      }
      await context.close();
    }
  }
}
await browser.close();
for (const server of [mock, empty, first]) server.close();
console.log(`${faults} violations in ${wanted?.length ?? STATES.length} states x 2 themes x 2 widths`);
process.exitCode = faults > 0 ? 1 : 0;

async function signIn(page, email, password) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.getByText(/Login Failed|2FA Required/).first().waitFor();
}

async function tables(page) {
  for (const button of await page.getByRole('button', { name: /^Show .* as table$/ }).all()) await button.click({ timeout: 2000 }).catch(() => {});
}
