// Screenshots of every screen, to be looked at by a person: node e2e/shots.mjs [folder]
import { mkdirSync } from 'node:fs';
import { launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

const folder = process.argv[2] ?? 'test-results/shots';
mkdirSync(folder, { recursive: true });

const mock = await startMock();
const empty = await startMock({ empty: true });
const first = await startMock({ first: true });
const browser = await launch();

const SCREENS = [
  { name: 'home', path: '/', signedIn: false },
  { name: 'login', path: '/login', signedIn: false },
  { name: 'setup', path: '/setup?token=abc', signedIn: false },
  { name: 'dashboard', path: '/dashboard' },
  { name: 'analytics', path: '/analytics?range=30d' },
  { name: 'analytics-24h', path: '/analytics?range=24h&f=is,country,DE' },
  { name: 'settings', path: '/account-settings?tab=websites' },
  { name: 'general', path: '/account-settings' },
  { name: 'missing', path: '/nowhere', signedIn: false },
  { name: 'empty', path: '/analytics', base: empty.url },
  { name: 'first', path: '/dashboard', base: first.url },
  { name: 'onboarding', path: '/onboarding', act: connect },
];
const LOOKS = [
  { name: 'light', theme: 'light', width: 1440 },
  { name: 'dark', theme: 'dark', width: 1440 },
  { name: 'phone', theme: 'dark', width: 390 },
  { name: 'narrow', theme: 'light', width: 320 },
];
const wanted = process.argv[3]?.split(',');

let faults = 0;
for (const look of LOOKS) {
  for (const screen of SCREENS) {
    if (wanted && !wanted.includes(screen.name)) continue;
    const { page, context, complaints } = await newPage(browser, { ...look, signedIn: screen.signedIn ?? true });
    await page.goto((screen.base ?? mock.url) + screen.path);
    await page.locator('h1').first().waitFor();
    await screen.act?.(page);
    await settle(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await page.screenshot({ path: `${folder}/${screen.name}-${look.name}.png`, fullPage: true });
    for (const text of [...complaints, ...(overflow > 0 ? [`${overflow} px too wide`] : [])]) {
      faults += 1;
      console.log(`${screen.name} ${look.name}: ${text}`);
    }
    await context.close();
  }
}
await browser.close();
for (const server of [mock, empty, first]) server.close();
console.log(`${faults} faults; pictures in ${folder}`);
process.exitCode = faults > 0 ? 1 : 0;

async function connect(page) {
  await page.getByLabel('Domain').fill('https://www.Example.com/page');
  await page.getByRole('button', { name: 'Connect Website' }).click();
  await page.getByText('Put this line into').waitFor();
}
