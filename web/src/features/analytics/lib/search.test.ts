import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from '@/lib/url/search';
import { CHART_METRICS } from './metrics';
import {
  BOTS,
  CHART_RANGES,
  COMPARISONS,
  DEFAULT_STATE,
  DIMENSIONS,
  OPERATORS,
  RANGES,
  STATUSES,
  rangeFault,
  readState,
  toggleFilter,
  withFilter,
  writeState,
  type AnalyticsState,
} from './search';

const there = (state: AnalyticsState): string => stringifySearch(writeState(state));
const back = (query: string): AnalyticsState => readState(parseSearch(query));

test('every state survives the way through the address', () => {
  const random = generator(20_261_120);
  for (let round = 0; round < 2000; round += 1) {
    const state = randomState(random);
    expect(back(there(state))).toEqual(state);
  }
});

test('the address of the default state is empty, the address of others is readable', () => {
  expect(there(DEFAULT_STATE)).toBe('');
  const state = withFilter(
    { ...DEFAULT_STATE, website: '42', range: 'custom', from: '2026-01-01', to: '2026-01-31' },
    { dimension: 'country', operator: 'is', values: ['IS', 'DE'] },
  );
  expect(there(state)).toBe('?website=42&range=custom&from=2026-01-01&to=2026-01-31&f=is,country,IS,DE');
});

test('text that looks like a number or JSON stays text', () => {
  expect(back('?website=42').website).toBe('42');
  expect(back('?website=%7B%22a%22%3A1%7D').website).toBe('{"a":1}');
});

test.each([
  ['?range=1y', DEFAULT_STATE],
  ['?range=custom', DEFAULT_STATE],
  ['?range=custom&from=2026-02-30&to=2026-03-01', DEFAULT_STATE],
  ['?f=is,planet,mars&f=maybe,country,IS&f=is,country', DEFAULT_STATE],
  ['?compare=x&chart=1h&bots=yes&status=paid', DEFAULT_STATE],
  ['?f=is,sub1,%E0%A4%A', { ...DEFAULT_STATE, filters: [{ dimension: 'sub1', operator: 'is', values: ['%E0%A4%A'] }] }],
])('%s is read without complaint', (query, expected) => {
  expect(back(query).range).toBe(expected.range);
  expect(back(query).filters.length).toBe(expected.filters.length);
});

test('dates in the wrong order are put right', () => {
  expect(back('?range=custom&from=2026-03-02&to=2026-03-01')).toMatchObject({ from: '2026-03-01', to: '2026-03-02' });
});

test('picking sets a filter, picking again takes it away', () => {
  const once = toggleFilter(DEFAULT_STATE, 'partner', 'p1');
  expect(once.filters).toEqual([{ dimension: 'partner', operator: 'is', values: ['p1'] }]);
  expect(toggleFilter(once, 'partner', 'p2').filters).toEqual([
    { dimension: 'partner', operator: 'is', values: ['p2'] },
  ]);
  expect(toggleFilter(once, 'partner', 'p1').filters).toEqual([]);
});

test('an address that gives no range says so; every range has its name there', () => {
  const fault = (query: string) => rangeFault(parseSearch(query));
  expect(fault('?range=1y')).toBe('There is no range “1y”.');
  expect(fault('?range=custom&from=2026-02-30&to=2026-03-01')).toBe(
    'The custom range of this address has no valid dates.',
  );
  expect(fault('?compare=custom&compareFrom=2026-03-01')).toBe('The comparison of this address has no valid dates.');
  expect(fault('?compare=weekday')).toBe('There is no comparison “weekday”.');
  for (const range of RANGES.filter((item) => item !== 'custom')) {
    expect(fault(`?range=${range}`)).toBeNull();
    expect(back(`?range=${range}`).range).toBe(range);
  }
  expect(fault('')).toBeNull();
});

function comparison(compare: AnalyticsState['compare']) {
  const days = compare === 'custom' ? { compareFrom: '2025-01-05', compareTo: '2025-02-01' } : undefined;
  return { compare, compareFrom: days?.compareFrom ?? null, compareTo: days?.compareTo ?? null };
}

function generator(seed: number): () => number {
  let value = seed;
  return () => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return value / 2 ** 32;
  };
}

function randomState(random: () => number): AnalyticsState {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick([...'aZ09 ,;&=?#%+"\'[]{}:/\\-_.~éø日😀'])).join(
      '',
    );
  const range = pick(RANGES);
  const dimensions = DIMENSIONS.filter(() => random() < 0.15);
  return {
    website: random() < 0.5 ? null : text(),
    range,
    ...(range === 'custom' ? { from: '2026-01-05', to: pick(['2026-01-05', '2026-02-01']) } : { from: null, to: null }),
    chart: random() < 0.5 ? null : pick(CHART_RANGES),
    ...comparison(pick(COMPARISONS)),
    matchWeekdays: random() < 0.5,
    bots: pick(BOTS),
    status: random() < 0.5 ? null : pick(STATUSES),
    metric: pick(CHART_METRICS),
    details: pick([null, ['page'], ['country', 'device']] as const),
    view: random() < 0.5 ? null : text(),
    filters: dimensions.map((dimension) => ({
      dimension,
      operator: pick(OPERATORS),
      values: Array.from({ length: 1 + Math.floor(random() * 3) }, text),
    })),
  };
}
