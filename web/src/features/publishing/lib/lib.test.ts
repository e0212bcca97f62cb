import { beforeEach, expect, test } from 'vitest';
import { ApiError } from '@/lib/api/errors';
import { signIn } from '@/test/render';
import { BLOCK_KINDS, nameOf, newBlock } from './blocks';
import { differencesOf } from './compare';
import { contrast, isLow, pairsOf } from './contrast';
import type { PageDocument, SiteDocument } from './document';
import { changeBlock, duplicateBlock, insertBlock, moveBlock, removeBlock } from './edits';
import { faultsOf, messageAt } from './faults';
import { changed, historyOf, redone, REST_MS, undone } from './history';
import { dropCopy, keepCopy, placeOf, readCopy } from './local-copy';
import { isPage } from './shape';
import { addPage, changePage, removePage } from './site-edits';
import { slugOf } from './slug';
import { READY_THEMES } from './themes';

const page = (...ids: string[]): PageDocument => ({ blocks: ids.map((id) => newBlock('article', id)) });
const idsOf = ({ blocks }: PageDocument) => blocks.map(({ id }) => id).join('');

beforeEach(() => localStorage.clear());

test('blocks are inserted, moved, copied and removed', () => {
  expect(idsOf(insertBlock(page('a', 'b'), 1, newBlock('faq', 'x')))).toBe('axb');
  expect(idsOf(moveBlock(page('a', 'b', 'c'), 'a', 2))).toBe('bca');
  expect(idsOf(moveBlock(page('a', 'b', 'c'), 'c', 0))).toBe('cab');
  expect(idsOf(moveBlock(page('a', 'b', 'c'), 'a', 99))).toBe('bca');
  expect(idsOf(removeBlock(page('a', 'b'), 'a'))).toBe('b');
  expect(idsOf(duplicateBlock(page('a', 'b'), 'a', 'x'))).toBe('axb');
  const named = changeBlock(page('a'), { id: 'a', type: 'article', markdown: 'A', name: 'best' });
  expect(duplicateBlock(named, 'a', 'x').blocks.map(({ name }) => name)).toEqual(['best', '']);
});

test('what changes nothing is the same document, so that it is no step of undo', () => {
  const before = page('a', 'b');
  expect(moveBlock(before, 'a', 0)).toBe(before);
  expect(moveBlock(before, 'none', 1)).toBe(before);
  expect(removeBlock(before, 'none')).toBe(before);
  const full: PageDocument = { blocks: Array.from({ length: 200 }, (_, index) => newBlock('faq', String(index))) };
  expect(insertBlock(full, 0, newBlock('faq', 'x'))).toBe(full);
});

test('every kind of block can be made', () => {
  const image = { hash: 'a'.repeat(64), alt: 'A tent', is_decorative: false, width: 1, height: 1 };
  const blocks = BLOCK_KINDS.map(({ type }) => (type === 'image' ? newBlock(type, 'i', image) : newBlock(type, type)));
  expect(isPage({ blocks })).toBe(true);
  expect(nameOf(newBlock('image', 'i', image))).toBe('Image: A tent');
  expect(isPage({ blocks: [{ id: 'a', type: 'script' }] })).toBe(false);
});

test('undo and redo go step by step; a new change ends what can be redone', () => {
  const two = changed(changed(historyOf('a'), 'b', 'Add'), 'c', 'Move');
  expect(undone(two).present).toBe('b');
  expect(undone(undone(undone(two))).present).toBe('a');
  expect(redone(undone(two))).toMatchObject({ present: 'c', future: [] });
  expect(undone(two).future[0]?.label).toBe('Move');
  expect(changed(undone(two), 'd', 'Add').future).toEqual([]);
  expect(changed(two, 'c', 'Nothing')).toBe(two);
});

test('typing in one field is one step until it rests, or another field is edited', () => {
  const typed = ['t', 'te', 'ten'].reduce(
    (history, text, index) => changed(history, text, 'Edit', 'a.title', index * 100),
    historyOf(''),
  );
  expect(typed.past).toHaveLength(1);
  expect(changed(typed, 'tent', 'Edit', 'a.title', 200 + REST_MS).past).toHaveLength(2);
  expect(changed(typed, 'x', 'Edit', 'a.text', 250).past).toHaveLength(2);
  expect(undone(typed).present).toBe('');
});

test('a fault of the server stands at its block and field, in the document that was sent', () => {
  const error = new ApiError(400, 'no', 'invalid_document', {
    'document.blocks.1.questions.0.answer': 'must not be empty',
  });
  const faults = faultsOf(error, page('a', 'b'));
  expect(messageAt(faults, 'b', 'questions.0.answer')).toBe('must not be empty');
  expect(messageAt(faults, 'b', 'questions')).toBe('must not be empty');
  expect(messageAt(faults, 'a', 'questions')).toBeUndefined();
  const whole = new ApiError(400, 'no', 'document_too_large', { document: 'is too large' });
  expect(faultsOf(whole, page('a'))).toEqual([{ blockId: null, path: '', message: 'is too large' }]);
});

test('a copy in the browser is the account’s own, and only of a known shape', () => {
  signIn();
  const place = placeOf('page:1');
  expect(place).toContain('draft:');
  keepCopy(place, { basedOn: 3, value: page('a') });
  expect(readCopy(place, isPage)).toEqual({ basedOn: 3, value: page('a') });
  localStorage.setItem(place, '{"basedOn":3,"value":{"blocks":"<script>"}}');
  expect(readCopy(place, isPage)).toBeNull();
  localStorage.setItem(place, 'not json');
  expect(readCopy(place, isPage)).toBeNull();
  dropCopy(place);
  expect(localStorage.getItem(place)).toBeNull();
});

test('contrast as WCAG has it; every ready theme passes, in light and in dark', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  for (const { light, dark } of READY_THEMES)
    for (const palette of [light, dark]) {
      expect(pairsOf(palette)).toHaveLength(7);
      expect(pairsOf(palette).filter(isLow)).toEqual([]);
    }
  const pale = { ...(READY_THEMES[0]?.light as (typeof READY_THEMES)[number]['light']), muted: '#cccccc' };
  expect(
    pairsOf(pale)
      .filter(isLow)
      .map(({ text }) => text),
  ).toEqual(['muted', 'muted']);
});

test('two versions are compared by block', () => {
  const mine = { blocks: [newBlock('faq', 'a'), newBlock('hero', 'b'), newBlock('disclosure', 'mine')] };
  const hero = { ...newBlock('hero', 'b'), title: 'Theirs' } as PageDocument['blocks'][number];
  const theirs = { blocks: [newBlock('faq', 'a'), hero, newBlock('newsletter', 'x')] };
  expect(differencesOf(mine, theirs).map(({ what }) => what)).toEqual(['Different', 'Only in yours', 'Only in theirs']);
  expect(differencesOf(page('a', 'b'), page('b', 'a')).map(({ what }) => what)).toEqual([
    'Different position',
    'Different position',
  ]);
  expect(differencesOf(page('a'), { blocks: [{ ...newBlock('article', 'a'), name: '' }] })).toEqual([]);
});

test('pages of a site get free paths, and the home page stays', () => {
  const site = { navigation: ['h'], pages: [{ id: 'h', path: '', title: 'Home' }] } as unknown as SiteDocument;
  const two = addPage(addPage(site, 'Best tents!', 'a'), 'Best tents', 'b');
  expect(two.pages.map(({ path }) => path)).toEqual(['', 'best-tents', 'best-tents-2']);
  expect(two.navigation).toEqual(['h', 'a', 'b']);
  expect(removePage(two, 'a')).toMatchObject({ navigation: ['h', 'b'] });
  expect(removePage(two, 'h')).toBe(two);
  const [home] = two.pages;
  if (!home) throw new Error('No home page.');
  expect(changePage(two, { ...home, title: 'Start' }).pages[0]?.title).toBe('Start');
});

test('a name becomes a slug', () => {
  expect(slugOf('  Þórður’s VPN: reviews! ')).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(slugOf('Café & Tents')).toBe('cafe-tents');
});
