// What traffic cost: a month of a campaign, a day in another currency, a refund.
const DAY = 86_400_000;
const day = (back) => new Date(Date.now() - back * DAY).toISOString().slice(0, 10);
const usd = (amount) => ({ amount, currency: 'USD' });
const entry = (id, over) => ({
  id,
  websiteId: 'w1',
  from: day(30),
  to: day(1),
  source: null,
  campaign: null,
  term: null,
  content: null,
  link: null,
  placement: null,
  amount: usd(31_000),
  worth: usd(31_000),
  rate: null,
  note: null,
  ...over,
});

export const costs = (nothing = false) =>
  nothing
    ? []
    : [
        entry('e1', { source: 'google', campaign: 'spring-sale', note: 'Invoice 4711' }),
        entry('e2', {
          from: day(3),
          to: day(3),
          amount: { amount: 12_000, currency: 'EUR' },
          worth: usd(13_020),
          rate: '1.085',
        }),
        entry('e3', {
          from: day(9),
          to: day(9),
          source: 'google',
          amount: usd(-2500),
          worth: usd(-2500),
          note: 'Refund',
        }),
      ];

/** Files of ad platforms: one that is applied, one that waits. */
export const costImports = (nothing = false) =>
  nothing
    ? []
    : [
        costImport('ci-ready', { state: 'ready' }),
        costImport('ci-applied', { state: 'applied', appliedAt: new Date(Date.now() - DAY).toISOString() }),
      ];
const costImport = (importId, over) => ({
  importId,
  rows: 36,
  new: 30,
  changed: 4,
  unchanged: 0,
  rejected: [],
  rejectedCount: 2,
  delta: [{ amount: 18_250, currency: 'EUR' }],
  questions: [],
  code: '',
  message: '',
  websiteId: 'w1',
  platform: 'google_ads',
  fileName: 'november.csv',
  fileSize: 4_800,
  uploadedAt: new Date(Date.now() - 2 * DAY).toISOString(),
  appliedAt: null,
  mapping: {},
  layout: { columns: { day: 'Day', cost: 'Cost', campaign: 'Campaign' }, date_order: 'ymd', decimal_mark: '.' },
  headers: ['Day', 'Campaign', 'Ad group', 'Cost'],
  sample: [['2026-11-03', 'Spring', 'A', '1.50']],
  notes: [],
  ...over,
});
