import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient } from '@tanstack/react-query';
import { cleanup, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { endSession } from '@/lib/session';
import { categories, post, thread } from '@/test/forum';
import { listing, listingInFull } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { createAppRouter } from './router';

const FIRST = readFileSync(join(process.cwd(), 'public/first.js'), 'utf8');

interface Node {
  readonly id: string;
  readonly path?: string;
  readonly parentRoute?: Node;
  readonly options: { readonly staticData?: { readonly reads?: readonly string[] } };
}
const readsOf = (route: Node | undefined): readonly string[] =>
  route ? [...readsOf(route.parentRoute), ...(route.options.staticData?.reads ?? [])] : [];

/** What the page's document does before the app is here. */
function beginEarly(address: string, path: string, reads: readonly string[], ofMembers: boolean): void {
  window.history.replaceState(null, '', address);
  const script = document.createElement('script');
  Object.assign(script.dataset, { path, reads: reads.join(' '), ...(ofMembers ? { members: '' } : {}) });
  Object.defineProperty(document, 'currentScript', { configurable: true, value: script });
  const fetchHere = (url: string, init: RequestInit) => fetch(new URL(url, window.location.href), init);
  new Function('fetch', FIRST)(fetchHere);
}

test('each page takes up what its document starts early: each is requested once', async () => {
  const routes: [string, Node][] = Object.entries(createAppRouter(new QueryClient()).routesByPath);
  const reading = routes.filter(([, route]) => route.options.staticData?.reads);
  expect(reading.length).toBeGreaterThan(5);
  const now = performance.now.bind(performance);
  for (const [path, route] of reading) {
    // The clock of a page begins with it, that of the tests with their process: early reads would be too old.
    const began = now();
    vi.spyOn(performance, 'now').mockImplementation(() => now() - began);
    server.use(
      http.get('/api/forum/categories', () => json(categories)),
      http.get('/api/forum/threads', () => json([thread()])),
      http.get('/api/forum/threads/{id}', () => json(thread())),
      http.get('/api/forum/threads/{id}/posts', () => json([post()])),
      http.post('/api/public/forum/threads/{id}/view', () => noContent()),
      http.get('/api/marketplace/listings', () => json([listing()])),
      http.get('/api/marketplace/listings/{id}', () => json(listingInFull({ id: 't1' }))),
      http.get('/api/marketplace/listings/{id}/questions', () => json([])),
    );
    if (route.id.startsWith('/member')) signIn();
    state.seen.length = 0;
    const address = path.replaceAll('$id', 't1');
    beginEarly(address, path, readsOf(route), route.id.startsWith('/member'));
    renderApp(address);
    const wanted = readsOf(route).map(
      (read) =>
        `GET ${read
          .replace(/^[\w-]+:/, '')
          .replaceAll('$id', 't1')
          .replaceAll('$website', 'w1')}`,
    );
    await waitFor(() => expect(requests('GET'), path).toEqual(expect.arrayContaining(wanted)));
    await waitFor(() => expect(window.earlyReads?.size, path).toBe(0)); // the app took each of them up
    const twice = requests('GET').filter((line, place, all) => wanted.includes(line) && all.indexOf(line) !== place);
    expect(twice, path).toEqual([]);
    Reflect.deleteProperty(document, 'currentScript');
    delete window.earlyReads;
    cleanup();
    endSession();
  }
});
