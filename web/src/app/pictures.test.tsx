// The pictures of README.md and of the home page show screens that exist: make pictures writes what each shows.
import { readdirSync, readFileSync } from 'node:fs';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { http, json } from '@/test/http';
import { renderApp, signIn } from '@/test/render';
import { server } from '@/test/server';

interface Picture {
  readonly path: string;
  readonly headings: readonly string[];
}

const ROOT = '..';
const HOME = 'web/src/features/site/pictures';
const MAX_BYTES = 150_000;
const pictures = JSON.parse(readFileSync(`${ROOT}/docs/images/pictures.json`, 'utf8')) as Record<string, Picture>;
const files = Object.keys(pictures);
/** What the answers of the pictures have as well. */
const AWAITING_RATE = {
  currency: 'THB',
  quote: 'USD',
  sales: 3,
  amount: { amount: 1_250_000, currency: 'THB' },
  since: '2026-11-18T09:12:00Z',
  transactions: ['ORDER-1189'],
  websites: 1,
};

test('README shows each picture that the script makes for it, and no other', () => {
  const readme = readFileSync(`${ROOT}/README.md`, 'utf8');
  const shown = [...readme.matchAll(/\((docs\/images\/[\w-]+\.(?:webp|png|jpe?g))\)/g)].map((found) => found[1]);
  expect(new Set(shown)).toEqual(new Set(files.filter((file) => file.startsWith('docs/'))));
});

test('the home page has the pictures that the script makes for it, and no other', () => {
  const there = readdirSync(`${ROOT}/${HOME}`).map((name) => `${HOME}/${name}`);
  expect(new Set(there)).toEqual(new Set(files.filter((file) => file.startsWith('web/'))));
});

test.each(Object.entries(pictures))('%s shows a screen of today', async (file, { path, headings }) => {
  const { length } = readFileSync(`${ROOT}/${file}`);
  expect(length).toBeGreaterThan(10_000);
  expect(length).toBeLessThanOrEqual(MAX_BYTES);
  expect(headings.length).toBeGreaterThan(0);
  signIn();
  server.use(http.get('/api/platform/conversions/awaiting-rate', () => json([AWAITING_RATE])));
  renderApp(path);
  await waitFor(() => {
    const found = screen.queryAllByRole('heading').map((heading) => heading.textContent?.trim());
    expect(headings.filter((heading) => !found.includes(heading))).toEqual([]);
  });
});
