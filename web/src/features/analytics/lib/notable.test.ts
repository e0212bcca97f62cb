import { expect, test } from 'vitest';
import type { PartnerPerformance } from '@/lib/api/types';
import { days, figures, overview } from '@/test/fixtures';
import { notable, SHOWN, type PartnerStats } from './notable';

const row = (name: string, clicks: number, conversions: number, revenue: number): PartnerPerformance => ({
  partnerId: name.toLowerCase(),
  partnerName: name,
  clicks,
  conversions,
  revenue,
  epc: revenue / clicks,
  conversion_rate: (100 * conversions) / clicks,
});
const calm: PartnerStats = {
  overview: { ...overview(), previous: figures() },
  partners: [row('Nord', 700, 30, 600)],
  partnersBefore: [row('Nord', 700, 30, 590)],
  days: days('2026-11-01', 20),
};
const titles = (figured: PartnerStats) => notable(figured).map(({ type, title }) => `${type}: ${title}`);

test('where nothing is far from what it was, nothing is of note', () => {
  expect(notable(calm)).toEqual([]);
  expect(notable({ ...calm, partners: [], partnersBefore: [], days: [] })).toEqual([]);
});

test('a partner that earns clearly more, less, or nothing any more', () => {
  const found = notable({
    ...calm,
    partners: [row('Nord', 700, 30, 900), row('Blue', 400, 10, 100)],
    partnersBefore: [row('Nord', 650, 30, 600), row('Blue', 400, 20, 200), row('Gone', 300, 9, 90)],
  });
  expect(found.map(({ title, text }) => `${title}: ${text}`)).toEqual([
    'Gone earns less: $0.00 after $90.00 in the 30 days before (−100.0%).',
    'Nord earns more: $900.00 after $600.00 in the 30 days before (+50.0%).',
    'Blue earns less: $100.00 after $200.00 in the 30 days before (−50.0%).',
  ]);
  expect(found.map(({ type, partnerId }) => `${type} ${partnerId}`)).toEqual([
    'decline gone',
    'growth nord',
    'decline blue',
  ]);
});

test('who is not in a full list of ten is not taken for zero', () => {
  const ten = Array.from({ length: 10 }, (_, index) => row(`P${index}`, 100, 5, 100));
  expect(titles({ ...calm, partners: ten, partnersBefore: [...ten.slice(1), row('Fallen', 100, 5, 100)] })).toEqual([]);
});

test('few clicks are chance', () => {
  expect(titles({ ...calm, partners: [row('Tiny', 10, 2, 20)], partnersBefore: [row('Tiny', 10, 1, 5)] })).toEqual([]);
});

test('the conversion rate that moved', () => {
  expect(titles({ ...calm, overview: { ...overview(figures({ conversion_rate: 2 })), previous: figures() } })).toEqual([
    'decline: Fewer clicks convert',
  ]);
  expect(
    notable({ ...calm, overview: { ...overview(figures({ conversion_rate: 6 })), previous: figures() } })[0]?.text,
  ).toBe('6.00% of clicks converted, after 4.00% (+50.0%).');
});

test('many clicks and no sale, where others sell', () => {
  const silent = { ...calm, partners: [...calm.partners, row('Mute', 250, 0, 0)] };
  expect(notable(silent)).toEqual([
    {
      type: 'warning',
      title: 'Mute has clicks but no sales',
      partnerId: 'mute',
      text: '250 clicks and no conversions. Your average would give 10: is the postback set up?',
    },
  ]);
  const nobodySells = {
    ...silent,
    overview: overview(
      figures({
        conversions: { total: 0, pending: 0, approved: 0, rejected: 0, reversed: 0, average_commission: 0 },
        conversion_rate: 0,
      }),
    ),
  };
  expect(titles({ ...nobodySells, overview: { ...nobodySells.overview, previous: null } })).toEqual([]);
});

test('a partner whose clicks are worth more than they are used', () => {
  const found = notable({
    ...calm,
    partners: [...calm.partners, row('Rare', 60, 6, 240)],
    partnersBefore: [...calm.partnersBefore, row('Rare', 60, 6, 240)],
  });
  expect(found.map(({ type, title, text }) => [type, title, text])).toEqual([
    ['opportunity', 'Rare has a high EPC', '$4.00 each, 4.9 times the average, from 5.0% of your clicks.'],
  ]);
});

test('two days without a click after busy ones come first', () => {
  const quiet = days('2026-11-01', 20).map((day, index) => ({ ...day, clicks: index < 18 ? 40 : 0 }));
  const all = Array.from({ length: 6 }, (_, index) => row(`P${index}`, 500, 20, 1000 + index));
  const before = all.map((item) => ({ ...item, revenue: 100 }));
  const found = notable({ ...calm, partners: all, partnersBefore: before, days: quiet });
  expect(found[0]).toEqual({
    type: 'warning',
    title: 'No clicks for two days',
    text: 'A typical day has 40. Check that the links and the script are still on your pages.',
  });
  expect(found).toHaveLength(SHOWN);
  expect(
    titles({ ...calm, days: quiet.map((day, index) => ({ ...day, clicks: index === 19 ? 1 : day.clicks })) }),
  ).toEqual([]);
});
