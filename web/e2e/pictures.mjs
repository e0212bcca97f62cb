// The pictures of README.md, of the built app with the seeded answers of mock-api.mjs: make pictures, or
// node e2e/pictures.mjs [folder]. Beside them, what each shows: a test looks for it on today's screens.
import { mkdirSync, writeFileSync } from 'node:fs';
import { launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

const folder = process.argv[2] ?? '../docs/images';

const PICTURES = [
  { name: 'analytics-light', path: '/analytics', height: 1000 },
  { name: 'analytics-dark', path: '/analytics', height: 1000, theme: 'dark' },
  { name: 'analytics-phone', path: '/analytics', width: 390, height: 844, scale: 2 },
  { name: 'conversions', path: '/conversions', height: 900 },
  { name: 'links', path: '/links', height: 900 },
];

mkdirSync(folder, { recursive: true });
const mock = await startMock();
const browser = await launch();
const shown = {};
for (const { name, path, height, width = 1440, scale = 1, theme = 'light' } of PICTURES) {
  const { page, context } = await newPage(browser, { theme, width, height, scale });
  await page.goto(`${mock.url}${path}`);
  await settle(page);
  await page.screenshot({ path: `${folder}/${name}.png` });
  const seen = page.locator('main :is(h1, h2):visible');
  const inView = await seen.evaluateAll((all) =>
    all.filter((one) => one.getBoundingClientRect().top < window.innerHeight).map((one) => one.textContent.trim()),
  );
  shown[name] = { path, headings: inView.filter(Boolean) };
  await context.close();
}
writeFileSync(`${folder}/pictures.json`, `${JSON.stringify(shown, null, 2)}\n`);
await browser.close();
mock.close();
