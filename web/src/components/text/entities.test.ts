// By its file: the name leads to ours (vite.config.ts).
import { decodeNamedCharacterReference as theirs } from '../../../node_modules/decode-named-character-reference/index.js';
import { expect, test } from 'vitest';
import { decodeNamedCharacterReference } from './entities';

test.each([
  'amp',
  'lt',
  'gt',
  'quot',
  'apos',
  'nbsp',
  'shy',
  'copy',
  'micro',
  'hellip',
  'mdash',
  'euro',
  'frac12',
  'rArr',
  'check',
  'minus',
  'AElig',
  'thorn',
  'eth',
  'szlig',
  'iacute',
])('&%s; is what HTML says', (name) => {
  expect(decodeNamedCharacterReference(name)).toBe(theirs(name));
});

test('what nobody types stays as it was written', () => {
  expect(decodeNamedCharacterReference('CounterClockwiseContourIntegral')).toBe(false);
  expect(decodeNamedCharacterReference('')).toBe(false);
});
