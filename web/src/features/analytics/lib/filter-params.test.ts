import { expect, test } from 'vitest';
import { filterText, isSimple, readFilterText, simpleParam } from './filter-params';
import type { Filter } from './search';
import { named } from './values';

const filter = (dimension: Filter['dimension'], operator: Filter['operator'], ...values: string[]): Filter => ({
  dimension,
  operator,
  values: values.map(named),
});

test('the older parameters are used where they can say it', () => {
  expect(isSimple(filter('country', 'is', 'IS'))).toBe(true);
  expect(isSimple(filter('country', 'contains', 'I'))).toBe(false);
  expect(isSimple(filter('page', 'is', '/a'))).toBe(false);
  expect(simpleParam(filter('source', 'is_not', 'google', 'a,b'))).toBe('-google,-a\\,b');
});

test.each([
  [filter('page', 'is', '/a', '/b'), 'page:is:/a|/b'],
  [filter('page', 'is', 'a|b:c\\d'), 'page:is:a\\|b\\:c\\\\d'],
  [filter('utm_campaign', 'is_not', ''), 'utm_campaign:is_not:'],
  [filter('page', 'matches', '/reviews/*'), 'page:matches:/reviews/*'],
  [filter('page', 'contains', '-a, b'), 'page:contains:-a, b'],
])('%j is sent as %s', (given, expected) => {
  expect(filterText(given)).toBe(expected);
  expect(readFilterText(expected)).toEqual(given);
});

test.each(['planet:is:Mars', 'page:like:/a', 'page'])('%s is no filter', (text) => {
  expect(readFilterText(text)).toBeNull();
});
