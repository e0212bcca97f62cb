// Spec §2: nothing that is shown leads nowhere. Every link of every screen is collected; each has to be an address of the
// app with a screen of its own, a file of the build, or a call that the API describes.
import { screen, waitFor } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, test } from 'vitest';
import { adminSections } from '@/lib/admin/sections';
import { articleOf, type Kind } from '@/lib/content';
import { author, categories, post, thread } from '@/test/forum';
import { listing, listingInFull } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server } from '@/test/server';
import { createAppRouter } from './router';

const CALLS = Object.keys(
  (JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as { paths: object }).paths,
).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));
/** Written by the build (scripts/documents.mjs), or answered by the gateway itself. */
const FILES = ['/blog.xml', '/api/openapi.json'];
const VISITORS = [
  '/',
  '/about',
  '/consulting',
  '/contact',
  '/pricing',
  '/integrations',
  '/careers',
  '/blog',
  '/blog/server-side-postbacks',
  '/help',
  '/help/getting-started',
  '/privacy',
  '/terms',
  '/docs/api',
  '/login',
  '/login?tab=create-account',
  '/forgot-password',
  '/reset-password',
  '/newsletter/confirm',
  '/newsletter/unsubscribe',
  '/site-newsletter/confirm',
  '/site-newsletter/unsubscribe',
  '/reports/unsubscribe',
  '/early-access/confirm',
  '/early-access/leave',
  '/affiliate-matching',
  '/learn',
  '/marketplace',
  '/marketplace/listing/l1',
  '/forum',
  '/forum/thread/t1',
  '/forum/member/embla',
  '/forum/log',
  '/no-such-page',
];
const MEMBERS = [
  '/dashboard',
  '/analytics',
  '/conversions',
  '/conversions/networks',
  '/conversions/ad-platforms',
  '/links',
  '/links/l1',
  '/account-settings',
  '/account-settings?tab=websites',
  '/account-settings?tab=invite-codes',
  '/account-settings?tab=notifications',
  '/account-settings?tab=reports',
  '/onboarding',
  '/notifications',
  '/marketplace',
  '/marketplace/sell',
  '/marketplace/mine',
  '/marketplace/deals',
  '/marketplace/saved',
  '/forum',
  '/forum/new',
  '/forum/moderation',
  '/learn',
  '/sql',
  '/admin',
  '/admin?tab=partners',
  '/admin?tab=links',
  '/admin?tab=clicks',
  ...adminSections.map(({ to }) => to),
];

const router = createAppRouter(new QueryClient());
const seen = { links: new Map<string, string>(), ids: new Map<string, Set<string>>() };

beforeEach(() => {
  server.use(
    http.get('/api/forum/categories', () => json(categories)),
    http.get('/api/forum/threads', () => json([thread()])),
    http.get('/api/forum/threads/{id}', () => json(thread())),
    http.get('/api/forum/threads/{id}/posts', () => json([post()])),
    http.get('/api/forum/members/{handle}', () =>
      json({
        ...author(),
        joinedAt: '2026-11-01T00:00:00Z',
        threads: 1,
        posts: 2,
        likesReceived: 3,
        suspendedUntil: null,
      }),
    ),
    http.get('/api/marketplace/listings', () => json([listing()])),
    http.get('/api/marketplace/listings/{id}', () => json(listingInFull())),
    http.get('/api/marketplace/listings/{id}/questions', () => json([])),
    ...server.listHandlers(), // before the handler of all other paths
    http.any('*/api/*', () => refuse(503, 'Not now')),
  );
});

/** The links of a page once nothing of it loads any more. */
async function look(path: string): Promise<void> {
  renderApp(path);
  await screen.findAllByRole('heading', { level: 1 });
  await waitFor(() => expect(stillLoading()).toEqual([]));
  const page = path.replace(/[?#].*/, '');
  const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
  expect(links.length).toBeGreaterThan(10);
  expect(
    links.filter((href) => href === '' || href === '#' || /^javascript:/i.test(href)),
    path,
  ).toEqual([]);
  for (const href of links)
    if (/^[/#]/.test(href) && href !== '#main') seen.links.set(href.startsWith('#') ? `${page}${href}` : href, path);
  seen.ids.set(
    page,
    new Set([...(seen.ids.get(page) ?? []), ...[...document.querySelectorAll('[id]')].map(({ id }) => id)]),
  );
  expect(document.body.textContent, path).not.toMatch(/coming soon|lorem ipsum|under construction/i);
}

const stillLoading = () =>
  [...document.querySelectorAll('[role=status]')]
    .map((item) => item.getAttribute('aria-label') ?? item.textContent ?? '')
    .filter((text) => text.startsWith('Loading'));

test.each(VISITORS)('visitors: %s is a screen whose links are links', look);

describe('members', () => {
  beforeEach(signIn);
  test.each(MEMBERS)('%s is a screen whose links are links', look);
});

test('spec §2: every link of every screen leads to a screen, a file or a call that is there', async () => {
  const lost: string[] = [];
  for (const [href, from] of seen.links) {
    const url = new URL(href, 'http://app.example');
    if (!(await leadsSomewhere(url))) lost.push(`${from}: ${href}`);
    const part = decodeURIComponent(url.hash.slice(1));
    const ids = seen.ids.get(url.pathname);
    if (part && ids && !ids.has(part)) lost.push(`${from}: ${href} has no such part`);
  }
  expect(lost).toEqual([]);
  expect(seen.links.size).toBeGreaterThan(80);
});

async function leadsSomewhere({ pathname }: URL): Promise<boolean> {
  if (FILES.includes(pathname)) return true;
  if (pathname.startsWith('/api/'))
    return CALLS.some((call) => call.test(pathname.replace(/\.csv$/, '')) || call.test(pathname));
  const article = /^\/(blog|help)\/([^/]+)$/.exec(pathname);
  if (article) return Boolean(await articleOf(article[1] as Kind, article[2] ?? ''));
  const found = router.matchRoutes(pathname, {}).at(-1);
  return found !== undefined && found.routeId !== '/$' && found.routeId !== '__root__';
}

test('spec §2: an address that is none would be noticed', async () => {
  for (const path of ['/nowhere', '/blog/none', '/api/nothing', '/forum/x/y/z', '/marketplace/listing'])
    expect(await leadsSomewhere(new URL(path, 'http://app.example')), path).toBe(false);
});
