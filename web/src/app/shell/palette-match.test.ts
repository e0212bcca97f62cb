import { expect, test } from 'vitest';
import { matching } from './palette-match';

const ENTRIES = [
  { title: 'Create link', words: 'new add tracked affiliate slug' },
  { title: 'API keys', words: 'token secret credentials' },
  { title: 'Replay events', words: 'rebuild projection' },
  { title: 'Þórður’s café', words: '' },
  { title: 'Links', words: '' },
];
const titles = (typed: string) => matching(ENTRIES, typed).map(({ title }) => title);

test.each([
  ['link', ['Links', 'Create link']],
  ['create li', ['Create link']],
  ['API KEY', ['API keys']],
  ['api token', ['API keys']],
  ['rebuild', ['Replay events']],
  ['cafe', ['Þórður’s café']],
  ['þórður', ['Þórður’s café']],
  ['link nowhere', []],
  ['.*', ENTRIES.map(({ title }) => title)],
  ['', ENTRIES.map(({ title }) => title)],
])('"%s" finds %j', (typed, expected) => {
  expect(titles(typed)).toEqual(expected);
});
