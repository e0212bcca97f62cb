// An address whose id names nothing, or is no id at all, is the 404 page: on every page that has one.
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, refuse } from '@/test/http';
import { server } from '@/test/server';
import { createAppRouter } from './router';

const WITH_ID = Object.keys(createAppRouter(new QueryClient()).routesByPath).filter((path) => /\$\w/.test(path));

test('every page of one thing is among these', () => {
  expect(WITH_ID.sort()).toEqual([
    '/blog/$slug',
    '/builder/$site',
    '/builder/$site/$page',
    '/conversions/networks/$id',
    '/forum/member/$handle',
    '/forum/thread/$id',
    '/help/$slug',
    '/links/$id',
    '/marketplace/deals/$offerId',
    '/marketplace/listing/$id',
    '/marketplace/review/$id',
    '/marketplace/seller/$id',
  ]);
});

test.each([...WITH_ID, '/marketplace/sell?listing=$id'])(
  '%s is the 404 page for an unknown and for a malformed id',
  async (path) => {
    for (const status of [404, 422]) {
      server.use(
        http.any('*/api/marketplace/*', () => refuse(status, 'No')),
        http.any('*/api/forum/*', () => refuse(status, 'No')),
        http.any('*/api/platform/sites/*', () => refuse(status, 'No')),
        http.any('*/api/platform/links/*', () => refuse(status, 'No')),
        http.any('*/api/platform/networks/imports/*', () => refuse(status, 'No')),
      );
      signIn();
      renderApp(path.replace(/\$\w+/, 'not-an-id'));
      expect(await screen.findByRole('heading', { level: 1, name: '404 Page Not Found' })).toBeInTheDocument();
      expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
      cleanup();
    }
  },
);
