// The built app's files as the gateway serves them (infra/services/gateway/static.py).
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.txt': 'text/plain; charset=utf-8',
};
const BINARY = ['.woff2', '.png', '.webp'];
const packed = new Map();

/** Answers with the file or page at `path`; `headers` go on each answer. */
export function serveFile(path, response, headers) {
  const { file, status } = found(decodeURIComponent(path));
  const binary = BINARY.includes(extname(file));
  const brotli = /\bbr\b/.test(response.req.headers['accept-encoding']) && isFile(`${file}.br`);
  const sent = brotli ? `${file}.br` : file;
  if (!packed.has(sent))
    packed.set(sent, binary || brotli ? readFileSync(sent) : gzipSync(readFileSync(file), { level: 9 }));
  response.writeHead(status, {
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    ...(binary ? {} : { 'Content-Encoding': brotli ? 'br' : 'gzip' }),
    'Cache-Control': file.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(packed.get(sent));
}

function found(path) {
  const wanted = join(DIST, normalize(path));
  if (isFile(wanted)) return { file: wanted, status: 200 };
  const page = pageOf(path.replace(/(.)\/$/, '$1'));
  if (page === undefined) return { file: [join(DIST, '404.html'), join(DIST, 'index.html')].find(isFile), status: 404 };
  return { file: [join(DIST, `${page}.html`), join(DIST, 'index.html')].find(isFile), status: 200 };
}

function pageOf(path) {
  const routes = JSON.parse(readFileSync(join(DIST, 'pages.json'), 'utf8'));
  const given = path.split('/');
  const route = routes.includes(path) ? path : routes.find((item) => fits(item.split('/'), given));
  return route === '/' ? '/home' : route?.replace(/\$[^/]*/g, '_');
}

const fits = (parts, given) =>
  parts.length === given.length &&
  parts.every((part, index) => part === given[index] || (part.startsWith('$') && given[index]));
const isFile = (name) => name.startsWith(DIST) && existsSync(name) && statSync(name).isFile();
