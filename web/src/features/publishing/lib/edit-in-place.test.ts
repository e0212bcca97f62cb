import { fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newBlock } from './blocks';
import type { Block, Hero } from './document';
import { editedText, editInPlace, focusedText, isText, type TextChange } from './edit-in-place';
import { offsetInSource } from './edit-source';

const HERO = { ...newBlock('hero', 'a'), title: 'Tents', text: 'Light ones.\n\nWarm\nones.' } as Hero;
const FAQ = {
  ...newBlock('faq', 'q'),
  title: 'Questions',
  questions: [{ question: 'Is it dry?', answer: '**Yes**' }],
} as Block;

/** A document in a frame, as the preview's. */
function newPage(): Document {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  return frame.contentDocument as Document;
}

let page: Document;
let blocks: readonly Block[];
let changes: TextChange[];

beforeEach(() => {
  page = newPage();
  page.body.innerHTML = `
    <section id="b-a" data-placement="a"><h1>Tents</h1><p>Light ones.</p><p>Warm<br>ones.</p></section>
    <section id="b-q" data-placement="q"><h2>Questions</h2><details><summary><h3>Is it dry?</h3></summary>
    <div class="prose"><p><strong>Yes</strong></p></div></details></section><p>Tents</p>`;
  changes = [];
  blocks = [HERO, FAQ];
  editInPlace(
    page,
    () => blocks,
    (change) => changes.push(change),
  );
});

afterEach(() => document.body.replaceChildren());

const element = (selector: string) => page.querySelector(selector) as HTMLElement;
const typed = (target: HTMLElement, text: string) => {
  target.textContent = text;
};

test('the texts of blocks can be reached by keyboard; what is no block cannot', () => {
  const marked = [...page.querySelectorAll<HTMLElement>('[data-field]')];
  expect(marked.map(({ textContent }) => textContent)).toEqual([
    'Tents',
    'Light ones.',
    'Warmones.',
    'Questions',
    'Is it dry?',
    'Yes',
  ]);
  expect(marked.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1, -1, -1]);
  expect(marked[0]).toHaveAttribute('aria-description', expect.stringContaining('Enter: edit this text'));
  expect([isText(element('h1')), isText(element('body > p')), isText(null)]).toEqual([true, false, false]);
});

test('a click begins, Enter takes the text over', () => {
  const heading = element('h1');
  fireEvent.click(heading);
  expect(heading).toHaveAttribute('contenteditable');
  typed(heading, '  Huts  and\u00a0more ');
  fireEvent.keyDown(heading, { key: 'Enter' });
  expect(heading).not.toHaveAttribute('contenteditable');
  expect(changes).toEqual([
    { blockId: 'a', shown: { field: 'title', text: 'Tents', paragraph: null }, text: 'Huts and more' },
  ]);
});

test('Enter begins on a focused text, leaving it takes the text over', () => {
  const question = element('h3');
  fireEvent.keyDown(question, { key: 'Enter' });
  expect(question).toHaveAttribute('contenteditable');
  typed(question, 'Is it warm?');
  fireEvent.blur(question);
  expect(changes).toMatchObject([{ blockId: 'q', shown: { field: 'questions.0.question' }, text: 'Is it warm?' }]);
});

test('arrow keys lead from text to text, and Tab comes back to the last one', () => {
  const marked = [...page.querySelectorAll<HTMLElement>('[data-field]')];
  const [first, last] = [element('h1'), element('.prose')];
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  fireEvent.keyDown(first, { key: 'ArrowUp' });
  fireEvent.keyDown(last, { key: 'ArrowDown' });
  expect(page.activeElement).toBe(marked[0]);
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  expect(page.activeElement).toBe(marked[1]);
  expect(marked.map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1, -1, -1, -1]);
});

test('Escape restores the text, and a text that stays the same is no change', () => {
  const second = element('#b-a p + p');
  fireEvent.click(second);
  typed(second, 'Other ones.');
  fireEvent.keyDown(second, { key: 'Escape' });
  expect(second.innerHTML).toBe('Warm<br>ones.');
  fireEvent.click(second);
  fireEvent.blur(second);
  expect(changes).toEqual([]);
});

test('lines of a paragraph stay lines', () => {
  const second = element('#b-a p + p');
  fireEvent.click(second);
  second.innerHTML = 'Warm<br>and dry.';
  fireEvent.keyDown(second, { key: 'Enter' });
  expect(changes).toMatchObject([{ shown: { field: 'text', paragraph: 1 }, text: 'Warm\nand dry.' }]);
});

test('the focus returns to the text that had it', () => {
  const again = newPage();
  again.body.innerHTML = page.body.innerHTML.replaceAll(/ (data-field|tabindex|aria-description)="[^"]*"/g, '');
  const before = element('h1').dataset['field'];
  editInPlace(
    again,
    () => blocks,
    () => undefined,
    before ?? null,
  );
  expect(again.activeElement).toBe(again.querySelector('h1'));
});

const source = () => page.querySelector('textarea') as HTMLTextAreaElement;
const beginSource = () => {
  fireEvent.click(element('strong'));
  return source();
};
const write = (area: HTMLTextAreaElement, value: string) => fireEvent.input(area, { target: { value } });

test('a click on a text in Markdown puts its source in its place; leaving it takes the source over', () => {
  const area = beginSource();
  expect(area).toHaveFocus();
  expect(area).toHaveValue('**Yes**');
  expect(area).toHaveAccessibleName('Text in Markdown');
  expect(element('.prose:not(textarea)')).not.toBeVisible();
  expect(editedText(page)).toBe(area);
  write(area, '**Yes**, and\n\n- warm');
  area.blur();
  expect(changes).toEqual([
    {
      blockId: 'q',
      shown: { field: 'questions.0.answer', text: '**Yes**', paragraph: null },
      text: '**Yes**, and\n\n- warm',
    },
  ]);
  // The source stays until the page shows what it became.
  expect(source()).toHaveValue('**Yes**, and\n\n- warm');
  expect(editedText(page)).toBeNull();
});

test('a closed answer is open to be edited', () => {
  expect(element('details')).toHaveAttribute('open');
});

test('Enter begins on a focused text in Markdown and is a new line in its source; Ctrl and Enter takes it over', () => {
  const prose = element('.prose');
  prose.focus();
  fireEvent.keyDown(prose, { key: 'Enter' });
  expect(source()).toHaveFocus();
  expect(fireEvent.keyDown(source(), { key: 'Enter' })).toBe(true);
  expect(changes).toEqual([]);
  write(source(), 'No');
  fireEvent.keyDown(source(), { key: 'Enter', ctrlKey: true });
  expect(changes).toMatchObject([{ text: 'No' }]);
  // The next version of the page gives the focus back to the text.
  expect(focusedText(page)).toBe(prose.dataset['field']);
  write(source(), 'Not yet');
  source().blur();
  expect(changes).toMatchObject([{ text: 'No' }, { shown: { text: 'No' }, text: 'Not yet' }]);
});

test('Escape restores a text in Markdown, and one that stays the same is no change', () => {
  const area = beginSource();
  write(area, 'No');
  fireEvent.keyDown(area, { key: 'Escape' });
  expect(source()).toBeNull();
  expect(element('.prose')).toBeVisible();
  expect(element('.prose')).toHaveFocus();
  beginSource().blur();
  expect(source()).toBeNull();
  expect(changes).toEqual([]);
});

test('the source is the one of now, also if the page does not show it yet', () => {
  blocks = [HERO, { ...FAQ, questions: [{ question: 'Is it dry?', answer: '*Mostly*' }] } as Block];
  expect(beginSource()).toHaveValue('*Mostly*');
  source().blur();
  blocks = [HERO];
  fireEvent.click(element('strong'));
  expect(source()).toBeNull();
});

test('answers of a page that shows other questions than the block has are not edited', () => {
  const other = newPage();
  other.body.innerHTML = page.body.innerHTML.replaceAll(/ (data-field|tabindex|aria-description)="[^"]*"/g, '');
  other.querySelector('details')?.after(other.querySelector('details')?.cloneNode(true) as Node);
  editInPlace(
    other,
    () => blocks,
    () => undefined,
  );
  expect(other.querySelectorAll('.prose')).toHaveLength(2);
  expect(other.querySelector('.prose[data-field]')).toBeNull();
});

test.each([
  ['## The test\n\nOf **ten** tents', 'The testOf te', 'n** tents'],
  ['[Tent A](page:3f2a1b00-0000-4000-8000-00000000aaaa) is *dry*', 'Tent A is d', 'ry*'],
  ['Dry', '', 'Dry'],
])('the caret comes to stand in the source where the text was clicked: %s', (text, before, after) => {
  expect(text.slice(offsetInSource(text, before))).toBe(after);
});
