import { expect, test } from 'vitest';
import { lagText } from './freshness';

test.each([
  [0, 'Up to date'],
  [0.4, 'under 1 s behind'],
  [70.2, '70 s behind'],
  [600, '10 min behind'],
])('%s seconds of lag read %s', (seconds, text) => {
  expect(lagText(seconds)).toBe(text);
});
