import { expect, test } from 'vitest';
import { referencesIn } from '../components/markdown-references';
import { GONE, pageNames, plainOf } from './markdown-names';
import { nextPlaceholder, placeholdersByPage, placeOfText } from './placeholders';
import type { Placeholder } from './types';

const PAGES = [{ id: 'p1', path: '', title: 'Home', short_title: '', description: '', is_indexed: true }];
const place = (text: string, changes: Partial<Placeholder> = {}): Placeholder => ({
  pageId: 'p1',
  placement: 'picks',
  field: 'offers.0.name',
  text,
  ...changes,
});

test('placeholders are grouped by page, with words for where they are', () => {
  const found = [place('[Your name]', { pageId: null, placement: '', field: 'author' }), place('[A]'), place('[B]')];
  expect(placeholdersByPage(found, PAGES).map(({ title, places }) => [title, places.length])).toEqual([
    ['Site name', 1],
    ['Home', 2],
  ]);
  expect(placeOfText(place('[A]', { placement: 'top-offers' }))).toBe('top offers');
  expect(placeOfText(place('[A]', { placement: crypto.randomUUID() }))).toBe('');
  expect(placeOfText(place('[A]', { placement: '', field: 'short_title' }))).toBe('Short title');
});

test('the next placeholder follows the last one, also when that is filled in', () => {
  const all = [place('[A]'), place('[B]'), place('[C]')];
  const first = nextPlaceholder(all, null);
  const second = nextPlaceholder(all, first);
  expect([first?.place.text, second?.place.text]).toEqual(['[A]', '[B]']);
  const after = nextPlaceholder([place('[A]'), place('[C]')], second);
  expect(after?.place.text).toBe('[C]');
  expect(nextPlaceholder([place('[A]'), place('[C]')], after)?.place.text).toBe('[A]');
  expect(nextPlaceholder([], after)).toBeNull();
});

test('a line of Markdown is read as its words, and a link to a page that is gone says so', () => {
  const names = pageNames(PAGES);
  expect(plainOf('## See [how we test](page:p1) and **more**', names)).toBe('See how we test and more');
  expect(plainOf('[how we test](page:p9)', names)).toBe(`how we test (${GONE.page})`);
  expect(plainOf('[how we test](page:p9)')).toBe('how we test');
  expect(plainOf('> 🏕️ [مرحبا](link:l1) ![A tent](image:00)')).toBe('🏕️ مرحبا A tent');
});

test('addresses of pages and links are found in Markdown, and nothing else', () => {
  const text = 'A [b](page:p1), [c](link:l-2), page:p3, [d](https://a.example/)';
  expect(referencesIn(text).map(({ from, to, address }) => [text.slice(from, to), address])).toEqual([
    ['page:p1', 'page:p1'],
    ['link:l-2', 'link:l-2'],
  ]);
});
