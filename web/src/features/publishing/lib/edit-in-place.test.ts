import { fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newBlock } from './blocks';
import type { Block, Hero } from './document';
import { editInPlace, isText, type TextChange } from './edit-in-place';

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
let changes: TextChange[];

beforeEach(() => {
  page = newPage();
  page.body.innerHTML = `
    <section id="b-a" data-placement="a"><h1>Tents</h1><p>Light ones.</p><p>Warm<br>ones.</p></section>
    <section id="b-q" data-placement="q"><h2>Questions</h2><details><summary><h3>Is it dry?</h3></summary>
    <div><p><strong>Yes</strong></p></div></details></section><p>Tents</p>`;
  changes = [];
  editInPlace(page, [HERO, FAQ], (change) => changes.push(change));
});

afterEach(() => document.body.replaceChildren());

const element = (selector: string) => page.querySelector(selector) as HTMLElement;
const typed = (target: HTMLElement, text: string) => {
  target.textContent = text;
};

test('the texts of blocks can be reached by keyboard; Markdown and what is no block cannot', () => {
  const marked = [...page.querySelectorAll<HTMLElement>('[data-field]')];
  expect(marked.map(({ textContent }) => textContent)).toEqual([
    'Tents',
    'Light ones.',
    'Warmones.',
    'Questions',
    'Is it dry?',
  ]);
  expect(marked.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1, -1]);
  expect(marked[0]).toHaveAttribute('aria-description', expect.stringContaining('Enter: edit this text'));
  expect([isText(element('h1')), isText(element('strong')), isText(null)]).toEqual([true, false, false]);
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
  const [first, last] = [element('h1'), element('h3')];
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  fireEvent.keyDown(first, { key: 'ArrowUp' });
  fireEvent.keyDown(last, { key: 'ArrowDown' });
  expect(page.activeElement).toBe(marked[0]);
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  expect(page.activeElement).toBe(marked[1]);
  expect(marked.map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1, -1, -1]);
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
  editInPlace(again, [HERO, FAQ], () => undefined, before ?? null);
  expect(again.activeElement).toBe(again.querySelector('h1'));
});
