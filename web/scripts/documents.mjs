// The built app's documents. Each page of the app gets one of its own, which names the files that the page will need, so
// that a first visit fetches them all at once. Pages that everybody may read come with their text and with the data that search
// engines and other sites read: the app itself is run here, without a browser, and what it shows is written down.
//
// Beside them: pages.json (every address there is, `$id` for one that varies; any other is 404), sitemap.xml, robots.txt, blog.xml.
// Addresses begin with ORIGIN, which the gateway replaces by the one under which people open it.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runApp } from './run-app.mjs';
import { feed, head, robots, sitemap } from './seo.mjs';

const ORIGIN = 'https://origin.invalid';
const PAGES = 'src/app/pages/';
/** Of six connections the app, its style and first.js take three. The largest modules take the others, the rest comes
 *  behind the page's first reads, which are short, and from which others follow. */
const AT_ONCE = 3;
/** What a page itself requests before it shows anything. */
const REQUESTED = { '/analytics': ['src/features/analytics/components/open-view.tsx'] };
const LIST = 'virtual:content';
const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(read('.vite/manifest.json'));
const cards = JSON.parse(read('content.json'));
const shell = read('index.html');
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const initial = needed(entry);

const articles = new Map(
  cards.map((card) => [card.kind === 'legal' ? `/${card.slug}` : `/${card.kind}/${card.slug}`, card]),
);
const app = await runApp(new URL(manifest[entry].file, dist), ORIGIN);
const routes = app.routes();
const site = [
  ...routes.filter((route) => route.site && !route.path.includes('$')).map((route) => route.path),
  ...articles.keys(),
].sort();
const rest = routes.filter(
  ({ path }) =>
    !site.includes(path) &&
    !(path.includes('$') && [...articles.keys()].some((article) => article.startsWith(path.replace(/\$.*/, '')))),
);

for (const route of rest) write(fileOf(route.path), withLinks(route.site ? shell : closed(shell), route.path));
const shown = [];
for (const path of site) {
  const page = await app.show(path);
  const card = articles.get(path);
  const image = imageOf(path);
  shown.push({ path, ...page, ...(card ? { date: card.date } : {}) });
  write(fileOf(path), withLinks(filled(shell, page.html, head({ origin: ORIGIN, path, card, image, ...page })), path));
}
const lost = await app.show('/no-such-page');
write('404.html', filled(closed(shell), lost.html, `<title>${lost.title}</title>`));
write('index.html', closed(shell));
write('pages.json', JSON.stringify([...rest.map((route) => route.path), ...site].sort()));
write('sitemap.xml', sitemap(ORIGIN, shown));
write(
  'robots.txt',
  robots(
    ORIGIN,
    rest.filter((route) => route.ofMembers).map((route) => route.path),
  ),
);
write(
  'blog.xml',
  feed(
    ORIGIN,
    cards.filter((card) => card.kind === 'blog'),
  ),
);
console.log(`documents: ${site.length} with their text, ${rest.length} without`);
process.exit(0);

/** `/` is home.html: index.html is for what has no document of its own. `/forum/thread/$id` is forum/thread/_.html. */
function fileOf(path) {
  return path === '/' ? 'home.html' : `${path.slice(1).replace(/\$[^/]*/g, '_')}.html`;
}

/** The chunks of a page that the first load lacks. */
function modulesOf(path) {
  const card = articles.get(path);
  const name = card
    ? 'article'
    : path
        .slice(1)
        .replace(/\/\$.*/, '')
        .replaceAll('/', '-') || 'home';
  const guide = path === '/docs/api' ? ['../docs/tracking-api.md'] : [];
  const texts = card
    ? [`content/${card.kind}/${card.slug}.md`, LIST]
    : cards.some((item) => path === `/${item.kind}`)
      ? [LIST]
      : guide;
  return [`${PAGES}${name}.tsx`, ...texts].filter((key) => manifest[key]);
}

/** Its own picture, else that of its section. */
function imageOf(path) {
  const names = [path.slice(1).replaceAll('/', '-'), path.split('/')[1]];
  return `/og/${names.find((name) => existsSync(new URL(`og/${name}.png`, dist))) ?? 'home'}.png`;
}

/** Not for search engines. */
function closed(html) {
  return html.replace('  </head>', '    <meta name="robots" content="noindex" />\n  </head>');
}

function filled(html, text, tags) {
  return (
    html
      .replace(/\s*<title>[^<]*<\/title>/, '')
      .replace(/\s*<meta name="description"[^>]*>/, '')
      .replace('  </head>', () => `    ${tags}\n  </head>`)
      // What is typed before the app has started would be lost.
      .replace(
        '<div id="root"></div>',
        () => `<div id="root" data-built>${text.replaceAll('<form ', '<form inert ')}</div>`,
      )
  );
}

/** With the files and the reads that the page begins with. */
function withLinks(html, path) {
  const keys = modulesOf(path);
  const page = new Set(keys.flatMap((key) => [...needed(key)]));
  for (const key of REQUESTED[path] ?? []) needed(key, page);
  const size = (name) => statSync(new URL(manifest[name].file, dist)).size;
  const links = [...page]
    .filter((name) => !initial.has(name))
    .sort((a, b) => size(b) - size(a))
    .map((name, place) => preload(name, place < AT_ONCE));
  const { reads = [], ofMembers, ofAll } = routes.find((route) => route.path === path) ?? {};
  const begin =
    reads.length > 0
      ? `${ofMembers ? ' data-members' : ''}${ofAll ? ' data-all' : ''} data-path="${path}" data-reads="${reads.join(' ').replaceAll('&', '&amp;')}"`
      : '';
  return html.replace('src="/first.js"', (script) => script + begin).replace('  </head>', `${links.join('')}  </head>`);
}

function preload(name, isAtOnce) {
  return `    <link rel="modulepreload" crossorigin${isAtOnce ? '' : ' fetchpriority="low"'} href="/${manifest[name].file}">\n`;
}

/** A module and everything that it imports. */
function needed(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) needed(next, seen);
  return seen;
}

function read(name) {
  return readFileSync(new URL(name, dist), 'utf8');
}

function write(name, text) {
  const file = new URL(name, dist);
  mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
  writeFileSync(file, text);
}
