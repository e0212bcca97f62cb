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
/** Without loss, if it is small enough so. The home page sends its pictures to phones. */
const QUALITIES = { [README]: [1, 0.85], [HOME]: [0.85] };

/** Where the numbers begin, below the controls. */
const CARD = 'section[aria-label=Summary]';
const MARGIN = 16;

/** `from`: an element with which the picture begins, instead of the page. */
const PICTURES = [
  { name: 'analytics-light', path: '/analytics', height: 1000 },
  { name: 'analytics-dark', path: '/analytics', height: 1000, theme: 'dark' },
  { name: 'analytics-phone', path: '/analytics', width: 390, height: 844, scale: 2 },
  { name: 'conversions', path: '/conversions', height: 900 },
  { name: 'links', path: '/links', height: 900 },
  ...['light', 'dark'].flatMap((theme) => [
    { name: `wide-${theme}`, folder: HOME, path: '/analytics', width: 720, height: 700, scale: 1.5, theme, from: CARD },
    { name: `phone-${theme}`, folder: HOME, path: '/analytics', width: 390, height: 590, scale: 2, theme, from: CARD },
  ]),
];

const root = new URL('../../', import.meta.url);
const mock = await startMock();
const browser = await launch();
const shown = {};
for (const { name, folder = README, path, height, width = 1440, scale = 1, theme = 'light', from } of PICTURES) {
  const { page, context } = await newPage(browser, { theme, width, height, scale });
  await page.goto(`${mock.url}${path}`);
  await settle(page);
  const begin = from ? Math.round((await page.locator(from).boundingBox()).y) - MARGIN : 0;
  const picture = await page.screenshot({ fullPage: true, clip: { x: 0, y: begin, width, height } });
  const inView = await page.locator('main :is(h1, h2):visible').evaluateAll(
    (all, [top, bottom]) =>
      all
        .map((one) => ({ text: one.textContent.trim(), at: one.getBoundingClientRect().top }))
        .filter(({ at }) => at >= top && at < bottom)
        .map(({ text }) => text),
    [begin, begin + height],
  );
  const file = `${folder}/${name}.webp`;
  const content = await smallEnough(page, picture, QUALITIES[folder]);
  if (!content) throw new Error(`${file} has more than ${MAX_BYTES} bytes.`);
  mkdirSync(new URL(folder, root), { recursive: true });
  writeFileSync(new URL(file, root), content);
  shown[file] = { path, headings: inView.filter(Boolean) };
  console.log(`${file}: ${Math.round(content.length / 1000)} kB`);
  await context.close();
}
writeFileSync(new URL(`${README}/pictures.json`, root), `${JSON.stringify(shown, null, 2)}\n`);
await browser.close();
mock.close();

async function smallEnough(page, png, [quality, ...others]) {
  if (quality === undefined) return null;
  const content = await asWebp(page, png, quality);
  return content.length <= MAX_BYTES ? content : smallEnough(page, png, others);
}

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
