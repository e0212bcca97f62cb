// Fails the build when a page would send more than its budget (gzip, as over the wire).
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

// The first load has 2 kB for reads that travel together (src/lib/api/combined-reads.ts), which save a page of cards a dozen requests,
// and for the groups and switches of the navigation (src/app/navigation.ts, src/lib/modules.ts). Analytics has 2 kB for cost and profit:
// seven metrics, and the sentence that says how costs are spread.
const LIMITS = { initial: 142, css: 15, charts: 120, analytics: 302, route: 40, forum: 55, editor: 105 };
const LAZY_ONLY = ['recharts', 'cmdk'];

const sizes = new Map();
const failures = [];
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const initial = staticGraph(entry);
// Nearly every page needs it: it is counted with the first load, and with no page.
initial.add(Object.keys(manifest).find((name) => name.startsWith('_common-')));

report('initial JS', total(initial), LIMITS.initial);
report('CSS', css(), LIMITS.css);
const charts = find('components/charts/charts.tsx');
const analytics = find('app/pages/analytics.tsx');
const pageGraph = staticGraph(analytics);
report(
  'charts chunk',
  total(new Set([...staticGraph(charts)].filter((key) => !initial.has(key) && !pageGraph.has(key)))),
  LIMITS.charts,
);
report(
  'analytics in all',
  total(new Set([...initial, ...staticGraph(analytics), ...staticGraph(charts)])),
  LIMITS.analytics,
);
for (const key of Object.keys(manifest).filter(
  (name) => name.includes('app/pages/') && name !== analytics && manifest[name].isDynamicEntry,
)) {
  report(key, total(new Set([...staticGraph(key)].filter((name) => !initial.has(name)))), LIMITS.route);
}
const markdown = staticGraph(find('components/text/markdown.tsx'));
report('Markdown of members', total(new Set([...markdown].filter((name) => !initial.has(name)))), LIMITS.forum);
for (const name of markdown) {
  if (!initial.has(name) && readFileSync(new URL(manifest[name].file, dist), 'utf8').includes('innerHTML'))
    failures.push(`what draws Markdown sets HTML (${manifest[name].file})`);
}
// CodeMirror: fetched when an article is opened in the builder; a plain text area stands in until then.
const editor = staticGraph(find('publishing/components/markdown-editor.tsx'));
report('Markdown editor', total(new Set([...editor].filter((name) => !initial.has(name)))), LIMITS.editor);
for (const name of LAZY_ONLY) {
  for (const key of initial) {
    if (marks(name, manifest[key].file)) failures.push(`${name} is in the first load (${manifest[key].file})`);
  }
}

if (failures.length > 0) {
  console.error(failures.map((text) => `budget: ${text}`).join('\n'));
  process.exit(1);
}

function report(label, bytes, limit) {
  const kilobytes = bytes / 1000;
  const over = kilobytes > limit;
  console.log(`${over ? 'OVER' : 'ok  '} ${label}: ${kilobytes.toFixed(1)} kB gz (limit ${limit})`);
  if (over) failures.push(`${label} is ${kilobytes.toFixed(1)} kB, limit ${limit} kB`);
}

function staticGraph(start, seen = new Set()) {
  if (seen.has(start)) return seen;
  seen.add(start);
  for (const next of manifest[start].imports ?? []) staticGraph(next, seen);
  return seen;
}

function total(keys) {
  return [...keys].reduce((sum, key) => sum + size(manifest[key].file), 0);
}

function css() {
  const files = new Set(Object.values(manifest).flatMap((item) => item.css ?? []));
  return [...files].reduce((sum, file) => sum + size(file), 0);
}

function size(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length);
  return sizes.get(file);
}

function find(end) {
  const key = Object.keys(manifest).find((name) => name.endsWith(end));
  if (!key) throw new Error(`${end} is not a chunk of its own: it was pulled into another one.`);
  return key;
}

/** Each library leaves its class names in its code, also when minified. */
function marks(name, file) {
  return readFileSync(new URL(file, dist), 'utf8').includes(name === 'recharts' ? 'recharts-' : '[cmdk-');
}
