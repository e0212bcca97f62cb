// What partners owe, and a month that does not agree, as the mock API tells it.
const usd = (amount) => ({ amount, currency: 'USD' });
const month = (name, over) => ({
  month: name,
  tracked: usd(128_400),
  reported: usd(121_900),
  paid: usd(96_000),
  notDue: usd(0),
  open: usd(25_900),
  since: '2026-10-01',
  differenceCount: 3,
  state: 'open',
  isAccepted: false,
  fingerprint: 'ab'.repeat(32),
  ...over,
});
const partner = (of, over) => ({
  partnerId: of.id,
  partnerName: of.name,
  open: usd(25_900),
  since: '2026-10-01',
  aged: { days0to30: 0, days31to60: 25_900, days61to90: 0, over90: 0 },
  notDue: usd(18_250),
  disputed: usd(6_500),
  openMonths: 1,
  months: [month('2026-09')],
  ...over,
});
const difference = (reason, over) => ({
  reason,
  transaction: 'A-4711',
  conversionId: 'c1',
  tracked: usd(4_000),
  reported: null,
  paid: null,
  amount: usd(4_000),
  trackedMonth: '2026-09',
  reportedMonth: null,
  ...over,
});

export const reconciledPartners = (partners, nothing = false) => ({
  websiteId: 'w1',
  currency: 'USD',
  timezone: 'UTC',
  at: new Date().toISOString(),
  open: usd(nothing ? 0 : 25_900),
  partners: nothing
    ? []
    : [
        partner(partners[0]),
        partner(partners[1], {
          open: usd(0),
          since: null,
          aged: { days0to30: 0, days31to60: 0, days61to90: 0, over90: 0 },
          disputed: usd(0),
          openMonths: 0,
          months: [],
        }),
      ],
});

export const reconciliation = (partners, query) => ({
  ...month(query.month ?? '2026-09'),
  websiteId: 'w1',
  partnerId: query.partnerId ?? partners[0].id,
  partnerName: partners[0].name,
  timezone: 'UTC',
  differences: [
    difference('paid_short', {
      transaction: null,
      conversionId: null,
      tracked: null,
      reported: usd(121_900),
      paid: usd(96_000),
      amount: usd(25_900),
      trackedMonth: null,
    }),
    difference('not_reported'),
    difference('amount', {
      transaction: 'A-4712',
      tracked: usd(6_000),
      reported: usd(3_500),
      amount: usd(2_500),
      reportedMonth: '2026-09',
    }),
  ],
});
