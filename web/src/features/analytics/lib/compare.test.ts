import { expect, test } from 'vitest';
import { change, describeChange } from './compare';

test.each([
  [112.4, 100, '+12.4%', 'good'],
  [90, 100, '−10.0%', 'bad'],
  [100, 100, '0.0%', 'neutral'],
  [0, 0, '0.0%', 'neutral'],
  [10_001, 10_000, '0.0%', 'neutral'],
  [5, 0, 'new', 'good'],
  [0, 5, '−100.0%', 'bad'],
  [5000, 100, '+4,900%', 'good'],
])('%d after %d is %s and %s', (current, previous, text, meaning) => {
  const result = change(current, previous);
  expect(describeChange(result)).toBe(text);
  expect(result.meaning).toBe(meaning);
});

test('more of a bad thing is bad', () => {
  expect(change(2, 1, 'down').meaning).toBe('bad');
  expect(change(1, 2, 'down').meaning).toBe('good');
});
