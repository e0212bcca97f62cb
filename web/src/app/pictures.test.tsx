// The pictures of README.md and of the home page show screens that exist: make pictures writes what each shows.
import { readdirSync, readFileSync } from 'node:fs';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';

interface Picture {
  readonly path: string;
  readonly headings: readonly string[];
}

const ROOT = '..';
const HOME = 'web/src/features/site/pictures';
const MAX_BYTES = 150_000;
const pictures = JSON.parse(readFileSync(`${ROOT}/docs/images/pictures.json`, 'utf8')) as Record<string, Picture>;
const files = Object.keys(pictures);

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
  renderApp(path);
  await waitFor(() => {
    const found = screen.queryAllByRole('heading').map((heading) => heading.textContent?.trim());
    expect(headings.filter((heading) => !found.includes(heading))).toEqual([]);
  });
});
