import { expect, test } from 'vitest';
import { toCsv } from './csv';

test('plain cells are comma-separated lines that end in CRLF', () => {
  expect(
    toCsv(
      ['a', 'b'],
      [
        ['x', 1],
        [null, 2.5],
      ],
    ),
  ).toBe('a,b\r\nx,1\r\n,2.5\r\n');
});

test('commas, quotes and line breaks are quoted', () => {
  expect(toCsv(['a'], [['x,y'], ['say "hi"'], ['one\ntwo']])).toBe('a\r\n"x,y"\r\n"say ""hi"""\r\n"one\ntwo"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('the text %j cannot run as a formula', (text) => {
  const [, line = ''] = toCsv(['a'], [[text]]).split('\r\n');
  expect(line.replace(/^"/, '')).toMatch(/^'/);
});

test.each([
  ['a;=1+1', "a;'=1+1"],
  ['a;"=1"', '"a;""\'=1"""'],
  ['a\t+1', "a\t'+1"],
  ['one\n@x', '"one\n\'@x"'],
  [' =1', "' =1"],
])('the text %j has no formula for who splits at semicolons or tabs', (text, written) => {
  expect(toCsv(['a'], [[text]])).toBe(`a\r\n${written}\r\n`);
});

test('negative numbers stay numbers', () => {
  expect(toCsv(['a'], [[-5]])).toBe('a\r\n-5\r\n');
});
