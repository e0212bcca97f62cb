import { expect, test } from 'vitest';
import world from 'virtual:world';
import { countryName } from '@/lib/labels/countries';
import { countryAt } from './world-map';

test('every country of the map has a code with a name', () => {
  expect(world.countries.length).toBeGreaterThan(170);
  for (const { code } of world.countries) expect(countryName(code)).not.toBe(code);
});

test.each([
  [0.543, 0.142, 'PL'],
  [0.254, 0.226, 'US'],
  [0.362, 0.641, 'BR'],
  [0.858, 0.767, 'AU'],
  [0.5, 0.726, ''],
])('at %d, %d lies %s', (across, down, code) => {
  expect(countryAt(across, down)).toBe(code);
});
