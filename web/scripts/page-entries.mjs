// One HTML entry for each page of the app, beside index.html: the same document, which also names what that page will
// need, so that a first visit fetches it all at once instead of one after the other. `/analytics` is answered with
// analytics.html; every path without an entry of its own with index.html.
import { readFileSync, writeFileSync } from 'node:fs';

const PAGES = 'src/app/pages/';
const CHARTS = 'src/components/charts/charts.tsx';
const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
const index = readFileSync(new URL('index.html', dist), 'utf8');
const initial = needed(Object.keys(manifest).find((key) => manifest[key].isEntry));

for (const key of Object.keys(manifest).filter((name) => name.startsWith(PAGES) && manifest[name].isDynamicEntry)) {
  const page = needed(key);
  // Charts wait for figures, which wait for the page: their code, the largest part, comes behind the page's own.
  const charts = manifest[key].dynamicImports?.includes(CHARTS) ? [...needed(CHARTS)].filter((name) => !page.has(name)) : [];
  const links = [
    ...[...page].filter((name) => !initial.has(name)).map((name) => preload(name)),
    ...charts.filter((name) => !initial.has(name)).map((name) => preload(name, ' fetchpriority="low"')),
  ];
  writeFileSync(new URL(`${key.slice(PAGES.length).replace(/\.tsx$/, '')}.html`, dist), index.replace('  </head>', `${links.join('')}  </head>`));
}

function preload(name, more = '') {
  return `    <link rel="modulepreload" crossorigin${more} href="/${manifest[name].file}">\n`;
}

/** A module and everything that it imports. */
function needed(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) needed(next, seen);
  return seen;
}
