// The pictures of README.md and of the home page, of the built app with the seeded answers of mock-api.mjs: make pictures, or
// node e2e/pictures.mjs. docs/images/pictures.json has what each shows: a test looks for it on today's screens.
//
// Build the app, make the pictures, and build it again: those of the home page are part of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

const README = 'docs/images';
const HOME = 'web/src/features/site/pictures';
const MAX_BYTES = 150_000;
/** Without loss for README.md, where people look closely; the home page shows them small, and sends them to phones. */
const WITHOUT_LOSS = 1;
const GOOD = 0.82;

const PICTURES = [
  { name: 'analytics-light', path: '/analytics', height: 1000 },
  { name: 'analytics-dark', path: '/analytics', height: 1000, theme: 'dark' },
  { name: 'analytics-phone', path: '/analytics', width: 390, height: 844, scale: 2 },
  { name: 'conversions', path: '/conversions', height: 900 },
  { name: 'links', path: '/links', height: 900 },
  ...['light', 'dark'].flatMap((theme) => [
    { name: `wide-${theme}`, folder: HOME, path: '/analytics', width: 720, height: 660, scale: 1.5, theme },
    { name: `phone-${theme}`, folder: HOME, path: '/analytics', width: 390, height: 560, scale: 2, theme },
  ]),
];

const root = new URL('../../', import.meta.url);
const mock = await startMock();
const browser = await launch();
const shown = {};
for (const { name, folder = README, path, height, width = 1440, scale = 1, theme = 'light' } of PICTURES) {
  const { page, context } = await newPage(browser, { theme, width, height, scale });
  await page.goto(`${mock.url}${path}`);
  await settle(page);
  const picture = await page.screenshot();
  const seen = page.locator('main :is(h1, h2):visible');
  const inView = await seen.evaluateAll((all) =>
    all.filter((one) => one.getBoundingClientRect().top < window.innerHeight).map((one) => one.textContent.trim()),
  );
  const file = `${folder}/${name}.webp`;
  const content = await asWebp(page, picture, folder === README ? WITHOUT_LOSS : GOOD);
  if (content.length > MAX_BYTES) throw new Error(`${file} has ${content.length} bytes, at most ${MAX_BYTES}.`);
  mkdirSync(new URL(folder, root), { recursive: true });
  writeFileSync(new URL(file, root), content);
  shown[file] = { path, headings: inView.filter(Boolean) };
  console.log(`${file}: ${Math.round(content.length / 1000)} kB`);
  await context.close();
}
writeFileSync(new URL(`${README}/pictures.json`, root), `${JSON.stringify(shown, null, 2)}\n`);
await browser.close();
mock.close();

/** The browser writes WebP, and Playwright does not. */
async function asWebp(page, png, quality) {
  const blank = await page.context().newPage();
  const url = await blank.evaluate(
    async ({ source, quality }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    { source: `data:image/png;base64,${png.toString('base64')}`, quality },
  );
  return Buffer.from(url.split(',')[1], 'base64');
}
