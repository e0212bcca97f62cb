import { expect, test } from 'vitest';
import { sourcesOf, textsOf, withText, type ShownText } from './block-texts';
import { newBlock } from './blocks';
import type { Block, Comparison, Faq, Hero, Review } from './document';

const HERO: Hero = {
  ...(newBlock('hero', 'a') as Hero),
  title: 'Tents',
  text: 'Light ones.\n\nAnd\nwarm ones.',
  action: { label: 'Compare', target: null },
};

function shown(block: Block, text: string): ShownText {
  const found = textsOf(block).find((each) => each.text === text);
  if (!found) throw new Error(`The block does not show ${text}.`);
  return found;
}

test('the texts of a block stand in the order of the page, paragraphs apart, without empty ones', () => {
  expect(textsOf(HERO).map(({ field, text }) => [field, text])).toEqual([
    ['title', 'Tents'],
    ['text', 'Light ones.'],
    ['text', 'And\nwarm ones.'],
    ['action.label', 'Compare'],
  ]);
  expect(textsOf(newBlock('article', 'b'))).toEqual([]);
});

test('a text replaces its field, or its paragraph alone', () => {
  const second = shown(HERO, 'And\nwarm ones.');
  expect(withText(HERO, shown(HERO, 'Tents'), 'Huts')).toMatchObject({ title: 'Huts', text: HERO.text });
  expect(withText(HERO, second, 'Dry ones.')).toMatchObject({ text: 'Light ones.\n\nDry ones.' });
  expect(withText(HERO, second, '')).toMatchObject({ text: 'Light ones.' });
  expect(withText(HERO, shown(HERO, 'Compare'), 'See all')).toMatchObject({
    action: { label: 'See all', target: null },
  });
});

test('texts in lists are replaced where they are', () => {
  const review = { ...newBlock('review', 'r'), pros: ['Light', 'Dry'] } as Review;
  expect(withText(review, shown(review, 'Dry'), 'Warm')).toMatchObject({ pros: ['Light', 'Warm'] });
  const table = {
    ...newBlock('comparison', 'c'),
    products: [{ name: 'One', label: '', target: null }],
    rows: [{ feature: 'Weight', values: [{ kind: 'text', text: '2 kg' }] }],
  } as Comparison;
  expect(withText(table, shown(table, '2 kg'), '3 kg')).toMatchObject({
    rows: [{ feature: 'Weight', values: [{ kind: 'text', text: '3 kg' }] }],
  });
});

test('what was changed elsewhere meanwhile stays', () => {
  const changed = { ...HERO, title: 'Cabins' };
  expect(withText(changed, shown(HERO, 'Tents'), 'Huts')).toBe(changed);
});

test('a source in Markdown replaces its field whole', () => {
  const article = { ...newBlock('article', 'm'), markdown: '## One\n\nTwo' } as Block;
  const [markdown] = sourcesOf(article) as [ShownText];
  expect(withText(article, markdown, '## Three')).toMatchObject({ markdown: '## Three' });
  const faq = {
    ...newBlock('faq', 'q'),
    questions: [
      { question: 'One?', answer: '' },
      { question: 'Two?', answer: '*Two*' },
    ],
  } as Faq;
  const [first, second] = sourcesOf(faq) as [ShownText, ShownText];
  expect([first.text, second.text]).toEqual(['', '*Two*']);
  expect(withText(faq, second, '2')).toMatchObject({ questions: [{ answer: '' }, { answer: '2' }] });
  expect(withText(withText(faq, second, '2'), second, '3')).toMatchObject({ questions: [{}, { answer: '2' }] });
  expect(sourcesOf(HERO)).toEqual([]);
});
