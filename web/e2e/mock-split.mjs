// A split whose weights follow its results: one variant certainly earns more, and has got more of the visitors twice.
const DESTINATION = 'https://nordvpn.com/';

const variant = (number, name, weight, share, clicks, conversions, revenue, epc) => ({
  number,
  name,
  weight,
  share,
  clicks,
  conversions,
  revenue,
  destination: DESTINATION,
  partnerId: null,
  partnerName: 'NordVPN',
  getsTraffic: true,
  epc: revenue / clicks,
  judgedEpc: epc,
  epcLow: epc * 0.7,
  epcHigh: epc * 1.3,
});

export const splitVariants = [
  variant(1, 'Start page', 30, 30, 2_140, 41, 82_300, 38.4),
  variant(2, 'Deal page', 70, 70, 2_510, 96, 201_100, 80.1),
];

/** The answer to a call of `…/links/{id}/split` and below. */
export function linkSplit(key, link) {
  if (key.endsWith('/winner')) return link;
  if (!key.startsWith('GET')) return { isOn: !key.endsWith('/undo'), minShare: 10, maxStep: 20 };
  return {
    currency: 'USD',
    firstDay: '2026-09-01',
    judgedUntil: '2026-11-18',
    settlingDays: 2,
    verdict: 'winner',
    winner: null,
    leader: 2,
    variants: splitVariants,
    comparisons: [
      { better: 2, other: 1, by: 41.7, low: 12.2, high: 71.2, percent: 108.6, sureness: 0.998, isCertain: true },
    ],
    missingDays: 0,
    missingBuyers: [],
    moreBuyers: null,
    shifting: { isOn: true, minShare: 10, maxStep: 20 },
    shifts: [
      shift(9, '2026-11-19T04:12:00Z', 'shifted', [50, 30], [50, 70]),
      shift(7, '2026-11-18T04:12:00Z', 'shifted', [70, 50], [30, 50], '2026-11-18T09:30:00Z'),
      shift(5, '2026-11-05T04:12:00Z', 'collecting', [70, 70], [30, 30]),
    ],
  };
}

const shift = (version, at, outcome, first, second, undoneAt = null) => ({
  version,
  at,
  outcome,
  leader: outcome === 'shifted' ? 2 : null,
  sureness: outcome === 'shifted' ? 0.998 : null,
  undoneAt,
  variants: [first, second].map(([before, after], place) => ({
    number: place + 1,
    before,
    after,
    getsTraffic: true,
    clicks: 1_900 + 300 * place,
    conversions: 38 + 50 * place,
    buyers: 36 + 49 * place,
    revenue: 76_000 + 98_000 * place,
  })),
});
