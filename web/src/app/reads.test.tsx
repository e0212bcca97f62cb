import { QueryClient } from '@tanstack/react-query';
import { cleanup, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { endSession } from '@/lib/session';
import { categories, post, thread } from '@/test/forum';
import { listing, listingInFull } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { at, requests, server, state } from '@/test/server';
import { createAppRouter } from './router';

interface Node {
  readonly id: string;
  readonly path?: string;
  readonly parentRoute?: Node;
  readonly options: { readonly staticData?: { readonly reads?: readonly string[] } };
}
const readsOf = (route: Node | undefined): readonly string[] =>
  route ? [...readsOf(route.parentRoute), ...(route.options.staticData?.reads ?? [])] : [];

test('each page sends exactly the requests that its document starts early', async () => {
  const routes: [string, Node][] = Object.entries(createAppRouter(new QueryClient()).routesByPath);
  const reading = routes.filter(([, route]) => route.options.staticData?.reads);
  expect(reading.length).toBeGreaterThan(5);
  for (const [path, route] of reading) {
    server.use(
      http.get(at('/api/forum/categories'), () => HttpResponse.json(categories)),
      http.get(at('/api/forum/threads'), () => HttpResponse.json([thread()])),
      http.get(at('/api/forum/threads/{id}'), () => HttpResponse.json(thread())),
      http.get(at('/api/forum/threads/{id}/posts'), () => HttpResponse.json([post()])),
      http.post(at('/api/public/forum/threads/{id}/view'), () => new HttpResponse(null, { status: 204 })),
      http.get(at('/api/marketplace/listings'), () => HttpResponse.json([listing()])),
      http.get(at('/api/marketplace/listings/{id}'), () => HttpResponse.json(listingInFull({ id: 't1' }))),
      http.get(at('/api/marketplace/listings/{id}/questions'), () => HttpResponse.json([])),
    );
    if (route.id.startsWith('/member')) signIn();
    state.seen.length = 0;
    renderApp(path.replaceAll('$id', 't1'));
    const wanted = readsOf(route).map(
      (read) =>
        `GET ${read
          .replace(/^[\w-]+:/, '')
          .replaceAll('$id', 't1')
          .replaceAll('$website', 'w1')}`,
    );
    await waitFor(() => expect(requests('GET'), path).toEqual(expect.arrayContaining(wanted)));
    cleanup();
    endSession();
  }
}, 120_000);
