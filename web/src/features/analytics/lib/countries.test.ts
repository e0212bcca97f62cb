import { expect, test } from 'vitest';
import { countrySlices, OTHER } from './countries';

const country = (code: string, clicks: number) => ({
  country: code,
  countryName: code,
  clicks,
  conversions: 0,
  revenue: clicks / 10,
});

test('spec §2, §9: the top eight, and all others together: the ring is whole', () => {
  const slices = countrySlices(
    ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'ZZ'].map((code, index) => country(code, 100 - index * 10)),
  );
  expect(slices.map((slice) => slice.id)).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', OTHER]);
  expect(slices.at(-1)).toMatchObject({ name: 'Other', clicks: 30 });
  expect(slices.reduce((sum, slice) => sum + slice.share, 0)).toBeCloseTo(100, 8);
  expect(slices[0]?.share).toBeCloseTo((100 / 550) * 100, 8);
});

test('countries without clicks are not drawn', () => {
  expect(countrySlices([country('A', 0)])).toEqual([]);
});
