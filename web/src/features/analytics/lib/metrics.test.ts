import { expect, test } from 'vitest';
import { metricText, shortText } from './metrics';

test.each([
  ['clicks', 1200, '1,200'],
  ['revenue', 984.25, '$984.25'],
  ['conversion_rate', 4, '4.00%'],
  ['views_per_visit', 1.5, '1.50'],
  ['visit_duration', 42.4, '42s'],
  ['visit_duration', 75, '1m 15s'],
  ['visit_duration', 7260, '2h 1m'],
  ['epc', null, '–'],
] as const)('%s of %s is written %s', (metric, value, text) => {
  expect(metricText(metric, value, 'USD')).toBe(text);
});

test('in narrow columns large sums have no cents', () => {
  expect(shortText('revenue', 21_840.11, 'USD')).toBe('$21,840');
  expect(shortText('revenue', 21.84, 'USD')).toBe('$21.84');
  expect(shortText('clicks', 21_840, 'USD')).toBe('21,840');
});
