import { expect, test } from 'vitest';
import { named, shown, typed } from './values';

test.each([
  ['google', 'google'],
  ['a,b', 'a\\,b'],
  ['-a', '\\-a'],
  ['a-b', 'a-b'],
  ['(none)', '\\(none)'],
  ['', '(none)'],
  [' a ', '\\ a\\ '],
  [' ', '\\ '],
  ['C:\\ads', 'C:\\\\ads'],
  ['\\', '\\\\'],
])('%s is named %s, and shown as it is', (value, name) => {
  expect(named(value)).toBe(name);
  expect(shown(name)).toBe(value === '' ? '(none)' : value);
});

test.each([
  ['a, b', ['a', 'b']],
  ['a\\,b,c', ['a\\,b', 'c']],
  ['-a', ['\\-a']],
  ['(none)', ['(none)']],
  ['\\(none)', ['\\(none)']],
  [' , ', []],
  ['a\\ ', ['a\\ ']],
  ['C:\\ads', ['C:\\\\ads']],
])('%s, typed, names %j', (text, names) => {
  expect(typed(text)).toEqual(names);
});
