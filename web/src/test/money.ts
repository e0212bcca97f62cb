// An explanation and a month of statements, for tests.
import { conversion } from './fixtures';
import type { Explanation, Statement, StatementMonth } from '@/lib/api/types';

const usd = (amount: number) => ({ amount, currency: 'USD' });

export const explanation = (over: Partial<Explanation> = {}): Explanation => ({
  conversion: {
    ...conversion(),
    kind: 'sale',
    reportedBy: 'sale',
    customer: null,
    clickedAt: '2026-11-20T11:00:00Z',
    reversedCommission: usd(0),
    conflicts: 0,
  } as Explanation['conversion'],
  rule: {
    by: 'terms',
    text: '30% of the sale',
    version: 2,
    effectiveAt: '2026-11-01T00:00:00Z',
    tier: 'Tier 1: from 10 conversions in 2026-11 when it was decided',
    terms: {
      kind: 'percent',
      percent: 30,
      amount: null,
      currency: null,
      tiersBy: 'conversions',
      tiersCurrency: null,
      tiers: [],
      holdDays: 0,
      autoApproveDays: null,
      text: '30% of the sale',
    },
  },
  click: {
    by: 'click_id',
    at: '2026-11-20T11:00:00Z',
    clickId: 'k1',
    linkId: 'l1',
    link: 'nord',
    country: 'IS',
    device: 'mobile',
    source: 'news',
    subs: { sub1: 'banner' },
    place: { topic: 'clicks', partition: 2, offset: 41 },
    adClickIds: [],
    keptFrom: null,
  },
  rate: null,
  missingClick: null,
  assignment: null,
  working: { text: '100.00 USD × 30% = 30 USD, rounded 30.00 USD', exact: '30', rounded: '30.00', agrees: true },
  unread: [],
  sources: [],
  lines: [],
  reports: [
    {
      amount: usd(10_000),
      payout: null,
      status: null,
      clickId: null,
      coupon: null,
      namesCustomer: false,
      unread: [],
      reportedBy: 'sale',
      keyKind: 'secret',
      at: '2026-11-20T12:00:01Z',
      stands: true,
      place: { topic: 'conversions', partition: 1, offset: 7 },
    },
  ],
  events: [
    {
      version: 1,
      name: 'conversion.recorded',
      text: 'The sale was reported (sale)',
      at: '2026-11-20T12:00:01Z',
      by: 'system',
      reason: null,
      pending: usd(3000),
      earned: null,
      reversed: null,
      position: 12,
      place: { topic: 'domain', partition: 0, offset: 11 },
    },
  ],
  ...over,
});

export const statement = (over: Partial<Statement> = {}): Statement => ({
  partnerId: 'p1',
  partnerName: 'NordVPN',
  opening: usd(5000),
  approved: usd(12_000),
  takenBack: usd(0),
  adjustments: usd(1050),
  closing: usd(15_950),
  held: usd(2000),
  payable: usd(13_950),
  conversions: 4,
  ...over,
});

export const statements = (over: Partial<StatementMonth> = {}): StatementMonth => ({
  month: '2026-11',
  timezone: 'UTC',
  isOver: false,
  isFinal: false,
  statements: [statement()],
  ...over,
});
