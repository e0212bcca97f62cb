// Exchange rates: the newest of each pair, the history of one, the source, and sales that wait for a rate.
const AT = '2026-11-20T15:16:00Z';
const rate = (base, quote, value, on, source = 'ecb') => ({ base, quote, rate: value, on, recordedAt: AT, source });
const RATES = [
  rate('EUR', 'GBP', '0.8342', '2026-11-20'),
  rate('EUR', 'ISK', '145.3', '2026-11-20'),
  rate('EUR', 'USD', '1.0825', '2026-11-20'),
  rate('ZAR', 'THB', '1.9', '2026-01-02', 'hand'),
];
const HISTORY = Array.from({ length: 60 }, (_, index) => {
  const day = new Date(Date.UTC(2026, 10, 20 - index)).toISOString().slice(0, 10);
  return rate('EUR', 'USD', (1.08 + Math.sin(index / 7) / 50).toFixed(4), day, index === 3 ? 'import' : 'ecb');
});
const awaiting = (currency, quote, over = {}) => ({
  currency,
  quote,
  sales: 3,
  amount: { amount: 1_250_000, currency },
  since: '2026-11-18T09:12:00Z',
  transactions: ['ORDER-1189', 'ORDER-1190', 'ORDER-1204'],
  websites: 1,
  ...over,
});
const CHECK = {
  checkedAt: AT,
  succeededAt: '2026-11-19T15:16:00Z',
  newestDay: '2026-11-19',
  failures: 2,
  problem: 'There was no answer in time.',
  skipped: ['XXQ'],
  nextAt: '2026-11-20T15:21:00Z',
};
const LINES = [
  { line: 2, outcome: 'new', base: 'EUR', quote: 'USD', rate: '1.0825', on: '2026-11-20', message: null },
  { line: 3, outcome: 'unchanged', base: 'EUR', quote: 'GBP', rate: '0.8342', on: '2026-11-20', message: null },
  {
    line: 4,
    outcome: 'rejected',
    base: null,
    quote: null,
    rate: null,
    on: null,
    message: 'ZZZ is not an ISO 4217 currency.',
  },
];

/** The answer to a request about exchange rates, or null. `isFirst`: of an installation without any. */
export function ratesAnswer(key, isFirst, input) {
  const answers = {
    'GET /api/admin/exchange-rates': isFirst ? [] : RATES,
    'GET /api/admin/exchange-rates/history': HISTORY,
    'GET /api/admin/exchange-rates/status': isFirst
      ? { source: 'hand', check: null, waiting: [] }
      : { source: 'ecb', check: CHECK, waiting: [awaiting('THB', 'USD'), awaiting(null, 'EUR', { amount: null })] },
    'POST /api/admin/exchange-rates/import': {
      lines: LINES,
      new: 1,
      changed: 0,
      unchanged: 1,
      rejected: 1,
      applied: input?.dryRun === false,
    },
    'GET /api/platform/conversions/awaiting-rate': isFirst ? [] : [awaiting('THB', 'USD')],
  };
  if (key === 'POST /api/admin/exchange-rates') {
    const message = `${input.base} is not an ISO 4217 currency.`;
    if (input.base === 'ZZZ') return [{ message, code: 'unknown_currency', errors: [{ field: 'base', message }] }, 400];
    return [input, 201];
  }
  return key in answers ? [answers[key], 200] : null;
}
