// What partners paid and owe, as the mock API tells it.
const DAY = 86_400_000;
const day = (ago) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
const usd = (amount) => ({ amount, currency: 'USD' });

export function balances(partners, nothing = false) {
  const found = (nothing ? [] : partners.slice(0, 6)).map((partner, index) => {
    const aged = {
      days0to30: 41_230 + index * 7310,
      days31to60: index % 2 ? 0 : 18_455 - index * 900,
      days61to90: index % 3 === 1 ? 6120 : 0,
      over90: index === 2 ? 31_040 : 0,
    };
    const owed = index === 4 ? 0 : Object.values(aged).reduce((sum, amount) => sum + amount, 0);
    const paid = 214_300 - index * 21_870;
    return {
      partnerId: partner.id,
      partnerName: partner.name,
      payable: paid + owed - (index === 4 ? 2150 : 0),
      held: 9020 + index * 1711,
      paid,
      owed,
      credit: index === 4 ? 2150 : 0,
      aged: index === 4 ? { days0to30: 0, days31to60: 0, days61to90: 0, over90: 0 } : aged,
      months: [
        { month: day(75).slice(0, 7), payable: 61_240, paid: 61_240 },
        { month: day(40).slice(0, 7), payable: 58_455, paid: 40_000 },
        { month: day(0).slice(0, 7), payable: 41_230 + index * 7310, paid: 0 },
      ],
    };
  });
  const sum = (of) => found.reduce((total, row) => total + of(row), 0);
  const ages = ['days0to30', 'days31to60', 'days61to90', 'over90'];
  return {
    currency: 'USD',
    timezone: 'Atlantic/Reykjavik',
    at: new Date().toISOString(),
    payable: sum((row) => row.payable),
    held: sum((row) => row.held),
    paid: sum((row) => row.paid),
    owed: sum((row) => row.owed),
    credit: sum((row) => row.credit),
    aged: Object.fromEntries(ages.map((age) => [age, sum((row) => row.aged[age])])),
    partners: found,
  };
}

export const payouts = (partners, nothing = false) =>
  (nothing ? [] : partners.slice(0, 6)).map((partner, index) => ({
    id: `x${index}`,
    websiteId: 'w1',
    partnerId: partner.id,
    partnerName: partner.name,
    amount: index === 2 ? { amount: 52_300, currency: 'EUR' } : usd(61_240 - index * 5130),
    credited: index === 2 ? usd(56_680) : usd(61_240 - index * 5130),
    paidOn: day(9 + index * 12),
    reference: ['PAY-2026-1107', 'ACH 88213', 'SEPA 4471', '', 'WIRE-77120', 'PAY-2026-0907'][index],
    allocations: index === 1 ? [{ month: day(40).slice(0, 7), amount: 40_000 }] : [],
    recordedAt: new Date(Date.now() - (8 + index * 12) * DAY).toISOString(),
    correctedAt: index === 3 ? new Date(Date.now() - 30 * DAY).toISOString() : null,
    voidedAt: index === 5 ? new Date(Date.now() - 20 * DAY).toISOString() : null,
    reason: index === 3 ? 'Bank fee of $12.00' : index === 5 ? 'Recorded twice' : '',
    hasFile: index % 2 === 0,
  }));
