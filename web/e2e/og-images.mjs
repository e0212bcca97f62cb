// The pictures that other sites show beside a link to a public page: 1200 x 630, drawn by Chromium from titles of the
// built documents into public/og. Run it after titles have changed: npm run build && npm run og && npm run build.
// public/og/titles.json says what each picture says; a test compares it with the pages.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { launch } from './browser.mjs';

const WIDTH = 1200;
const HEIGHT = 630;
const PRODUCT = 'Althing';
const dist = new URL('../dist/', import.meta.url);
const folder = new URL('../public/og/', import.meta.url);
const cards = JSON.parse(readFileSync(new URL('content.json', dist), 'utf8'));
const font = readdirSync(new URL('assets/', dist)).find((name) => /^inter-latin-wght-normal.*\.woff2$/.test(name));
const fontData = readFileSync(new URL(`assets/${font}`, dist)).toString('base64');

const pages = [
  { name: 'home', kicker: 'Iceland-based · open source', title: 'Everything for affiliate marketing, counted once' },
  { name: 'about', kicker: 'About', title: 'Who builds it, and why in Iceland' },
  { name: 'consulting', kicker: 'Consulting', title: 'Earn more from the visitors you have' },
  { name: 'pricing', kicker: 'Pricing', title: 'The platform is free. Our time is not.' },
  { name: 'integrations', kicker: 'Integrations', title: 'Works with what you have' },
  { name: 'docs-api', kicker: 'API Documentation', title: 'Report clicks and sales, read every figure' },
  { name: 'help', kicker: 'Help Center', title: 'Guides to everything the platform does' },
  { name: 'blog', kicker: 'Blog', title: 'How affiliate money is counted' },
  ...cards
    .filter((card) => card.kind === 'blog')
    .map((card) => ({ name: `blog-${card.slug}`, kicker: 'Blog', title: card.title })),
];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await launch();
const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, colorScheme: 'dark' });
for (const { name, kicker, title } of pages) {
  await page.setContent(drawn(kicker, title));
  await page.evaluate(() => document.fonts.ready);
  writeFileSync(new URL(`${name}.png`, folder), await page.screenshot({ type: 'png' }));
}
await browser.close();
writeFileSync(
  new URL('titles.json', folder),
  `${JSON.stringify(Object.fromEntries(pages.map(({ name, title }) => [name, title])), null, 2)}\n`,
);
console.log(`${pages.length} pictures`);

/** Flat colours: the files stay small. */
function drawn(kicker, title) {
  const peaks = (base, height, step) =>
    Array.from(
      { length: 9 },
      (_, index) => `${index * 150},${(base - Math.abs(Math.sin(index * step + title.length)) * height).toFixed(0)}`,
    ).join(' ');
  return `<!doctype html><meta charset="utf-8"><style>
    @font-face{font-family:Inter;src:url(data:font/woff2;base64,${fontData}) format('woff2');font-weight:100 900}
    *{margin:0;box-sizing:border-box}body{width:${WIDTH}px;height:${HEIGHT}px;background:#0a0c10;color:#f2f5fa;font-family:Inter;position:relative;overflow:hidden}
    .kicker{position:absolute;left:80px;top:180px;font-size:28px;font-weight:600;color:#7aa2ff}
    h1{position:absolute;left:80px;top:232px;width:1000px;font-size:${title.length > 48 ? 60 : 70}px;line-height:1.12;font-weight:650;letter-spacing:-.025em;text-wrap:balance}
    .logo{position:absolute;left:80px;top:70px;display:flex;align-items:center;gap:18px;font-size:34px;font-weight:650;letter-spacing:-.02em}
    svg.land{position:absolute;left:0;bottom:0}
  </style>
  <svg class="land" width="${WIDTH}" height="190" viewBox="0 0 ${WIDTH} 190"><polygon points="0,190 ${peaks(150, 120, 1.7)} 1200,190" fill="#141d33"/><polygon points="0,190 ${peaks(180, 80, 2.3)} 1200,190" fill="#1d2c52"/></svg>
  <div class="logo"><svg width="60" height="60" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#7aa2ff"/><path d="M7 24 16 7l9 17" fill="none" stroke="#0a1020" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><path d="M11 24v-4m5 4v-9m5 9v-4" stroke="#0a1020" stroke-opacity=".55" stroke-width="2.6" stroke-linecap="round"/></svg>${PRODUCT}</div>
  <p class="kicker">${escape(kicker)}</p><h1>${escape(title)}</h1>`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
