// Ranges of the mock API as the query service cuts them, in UTC, and the summary of all websites.
const DAY = 86_400_000;
const HOUR = 3_600_000;
const MOST_HOURLY_DAYS = 2;
const MOST_DAILY_DAYS = 180;

const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
const midnight = (day) => Date.parse(`${day}T00:00:00Z`);
const monthStart = (time, months = 0) => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
};

/** First and last day (both included) of a range, as times; null for the last 24 hours. */
function daysOf({ timeRange = '7d', from, to }) {
  const today = midnight(dayOf(Date.now()));
  const rolling = /^(\d+)d$/.exec(timeRange);
  if (rolling) return [today - (Number(rolling[1]) - 1) * DAY, today];
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY;
  const month = new Date(today).getUTCMonth();
  const unit = { month: 1, quarter: 3, year: 12 }[timeRange.split('_')[1]];
  const current = unit && monthStart(today, Math.floor(month / unit) * unit - month);
  switch (timeRange) {
    case '24h':
      return null;
    case 'today':
      return [today, today];
    case 'yesterday':
      return [today - DAY, today - DAY];
    case 'this_week':
      return [monday, today];
    case 'last_week':
      return [monday - 7 * DAY, monday - DAY];
    case '12m':
      return [monthStart(today, -11), today];
    case 'all':
      return [monthStart(today, -16), today];
    case 'custom':
      return [midnight(from), midnight(to)];
    default:
      return timeRange.startsWith('this') ? [current, today] : [monthStart(current, -unit), current - DAY];
  }
}

const bucket = (time, hours) => ({
  time,
  hours,
  date: hours === 1 ? new Date(time).toISOString().replace('.000Z', '+00:00') : dayOf(time),
});

/** The buckets of a range, each with its begin and its length in hours. */
export function bucketsOf(query) {
  const days = daysOf(query);
  const hour = Math.floor(Date.now() / HOUR) * HOUR;
  if (!days) return Array.from({ length: 24 }, (_, index) => bucket(hour - (23 - index) * HOUR, 1));
  const [first, last] = days;
  const count = Math.round((last - first) / DAY) + 1;
  if (count <= MOST_HOURLY_DAYS) {
    const end = query.timeRange === 'custom' ? last + DAY : Math.min(last + DAY, hour + HOUR);
    return Array.from({ length: (end - first) / HOUR }, (_, index) => bucket(first + index * HOUR, 1));
  }
  if (count <= MOST_DAILY_DAYS) return Array.from({ length: count }, (_, index) => bucket(first + index * DAY, 24));
  const starts = [first];
  for (let next = monthStart(first, 1); next <= last; next = monthStart(next, 1)) starts.push(next);
  return starts.map((start, index) => bucket(start, ((starts[index + 1] ?? last + DAY) - start) / HOUR));
}

/** How the range and the one it is compared with are shown. */
export function shownRanges(query, timezone) {
  const buckets = bucketsOf(query);
  const [first, last] = [buckets[0], buckets.at(-1)];
  const kind = first.hours === 1 ? 'hour' : buckets.length > 1 && buckets[1].hours > 24 ? 'month' : 'day';
  const days = daysOf(query);
  const range = {
    from: days ? dayOf(days[0]) : first.date,
    to: days ? dayOf(days[1]) : last.date,
    timezone,
    bucket: kind,
  };
  if (query.compare === 'none') return { range, previousRange: null };
  if (query.compare === 'custom')
    return { range, previousRange: { ...range, from: query.compareFrom, to: query.compareTo } };
  if (!days) {
    const back = (date) => new Date(Date.parse(date) - DAY).toISOString().replace('.000Z', '+00:00');
    return { range, previousRange: { ...range, from: back(range.from), to: back(range.to) } };
  }
  const length = Math.round((days[1] - days[0]) / DAY) + 1;
  let back = query.compare === 'year' ? 365 : length;
  if (query.matchWeekdays) back = Math.ceil(back / 7) * 7;
  return {
    range,
    previousRange: { ...range, from: dayOf(days[0] - back * DAY), to: dayOf(days[1] - back * DAY) },
  };
}

const FIRST_DAYS = 480;

/** Whether the comparison has data: websites of the mock have some since sixteen months. */
export const coverage = (previousRange) => {
  const begin = dayOf(Date.now() - FIRST_DAYS * DAY);
  if (!previousRange) return { previousHasData: null, previousDataFrom: null };
  return {
    previousHasData: previousRange.to.slice(0, 10) >= begin,
    previousDataFrom: previousRange.from.slice(0, 10) < begin && previousRange.to.slice(0, 10) >= begin ? begin : null,
  };
};

const WORTH = { USD: 1, EUR: 1.0842, GBP: 1.2677 };

/** All websites beside each other: `series` gives the 30 days of one of them, in major units. */
export function websitesSummary(websites, currency, series) {
  const shown = currency || 'USD';
  const rate = (own) => (WORTH[own] && WORTH[shown] ? WORTH[own] / WORTH[shown] : null);
  const money = (amount, code) => ({ amount: Math.round(amount), currency: code });
  const periods = {
    today: [29, 30, 22, 23],
    yesterday: [28, 29, 21, 22],
    week: [25, 30, 18, 23],
    month: [10, 30, 0, 20],
    quarter: [0, 30, 0, 28],
  };
  const rows = websites.map((site) => {
    const days = series(site);
    const worth = rate(site.currency);
    const sums = (first, after) => {
      const part = days.slice(first, after);
      const sum = (name) => part.reduce((total, item) => total + item[name], 0);
      const revenue = sum('revenue') * 100;
      return {
        clicks: sum('clicks'),
        visitors: Math.round(sum('unique') * 1.7),
        conversions: sum('conversions'),
        revenue: money(revenue, site.currency),
        converted: worth === null ? null : money(revenue * worth, shown),
      };
    };
    const period = (name, [first, after, earlier, until]) => {
      const now = sums(first, after);
      const before = sums(earlier, until);
      delete before.visitors;
      return {
        ...now,
        visitors: name === 'quarter' ? null : now.visitors,
        notConverted:
          worth === null ? { amount: now.revenue, conversions: now.conversions, lacking: days[first].date } : null,
        previous: { from: days[earlier].date, to: days[until - 1].date, ...before },
      };
    };
    return {
      websiteId: site.id,
      domain: site.domain,
      timezone: site.timezone,
      currency: site.currency,
      ...Object.fromEntries(Object.entries(periods).map(([name, part]) => [name, period(name, part)])),
      series: {
        from: days[0].date,
        clicks: days.map((item) => item.clicks),
        revenue: days.map((item) => Math.round(item.revenue * 100)),
      },
    };
  });
  const total = (name) => {
    const sum = (metric) => rows.reduce((found, row) => found + row[name][metric], 0);
    const compared = rows.filter((row) => row[name].converted);
    const all = (of) =>
      money(
        compared.reduce((found, row) => found + of(row[name]), 0),
        shown,
      );
    return {
      clicks: sum('clicks'),
      visitors: name === 'quarter' ? null : sum('visitors'),
      conversions: sum('conversions'),
      revenue: all((period) => period.converted.amount),
      notConverted: rows.flatMap((row) => row[name].notConverted ?? []),
      difference: all((period) => period.converted.amount - period.previous.converted.amount),
      compared: all((period) => period.previous.converted.amount),
    };
  };
  const used = [...new Set(websites.map((site) => site.currency))].filter((code) => code !== shown && rate(code));
  return {
    currency: shown,
    rates: used.map((code) => ({
      currency: code,
      rate: String(rate(code).toPrecision(6)),
      on: dayOf(Date.now() - DAY),
    })),
    websites: rows,
    totals: Object.fromEntries(Object.keys(periods).map((name) => [name, total(name)])),
    omitted: 0,
  };
}

/** What moved: a partner that fell by three quarters, and smaller changes of every dimension. */
export function movers(websites, currency, period) {
  const shown = currency || 'USD';
  const money = (amount) => ({ amount, currency: shown });
  const named = {
    partner: [
      ['p1', 'Hostfjord'],
      ['p2', 'NordVPN'],
      ['p3', 'Surfshark'],
      ['p0', 'Draftwell'],
    ],
    page: [
      ['/best-hosting', '/best-hosting'],
      ['/best-vpn', '/best-vpn'],
      ['/coupons', '/coupons'],
    ],
    source: [
      ['google', 'google'],
      ['', '(not set)'],
      ['newsletter', 'newsletter'],
    ],
    country: [
      ['DE', 'Germany'],
      ['IS', 'Iceland'],
      ['US', 'United States'],
    ],
    link: [
      ['l0', 'hostfjord-sidebar'],
      ['l1', 'nord-review'],
    ],
  };
  const sizes = [-43_700, 12_250, -8_120, 4_400];
  const dimensions = Object.entries(named).map(([by, values]) => ({
    by,
    rows: (websites.length > 0 ? values : []).map(([value, label], index) => {
      const site = websites[(index + 1) % websites.length] ?? websites[0];
      const before = 59_275 - index * 9_000;
      return {
        websiteId: site.id,
        domain: site.domain,
        value,
        label,
        revenue: money(before + sizes[index]),
        previous: money(before),
        difference: money(sizes[index]),
        conversions: Math.max(2, 22 + Math.round(sizes[index] / 2_500)),
        previousConversions: 22,
        from: dayOf(Date.now() - 2 * DAY),
        to: dayOf(Date.now()),
        comparedFrom: dayOf(Date.now() - 9 * DAY),
        comparedTo: dayOf(Date.now() - 7 * DAY),
      };
    }),
  }));
  return { currency: shown, period: period || 'week', dimensions, notConverted: [] };
}

/** What waits for a decision, and what is overdue. */
export function openItems(websites, currency) {
  const shown = currency || 'USD';
  const of = (count, amount) => ({
    count,
    amount: { amount, currency: shown },
    notConverted: [],
    notConvertedCount: 0,
  });
  return {
    currency: shown,
    pending: of(41, 128_450),
    owed: of(6, 402_375),
    overdue: of(2, 96_110),
    websites: websites.map((site, index) => ({
      websiteId: site.id,
      domain: site.domain,
      pending: 20 - index * 6,
      pendingAmount: { amount: 61_200 - index * 18_000, currency: site.currency },
      oldestPending: '2026-10-12T08:00:00Z',
      owed: { amount: 210_000 - index * 66_000, currency: site.currency },
      overduePartners: index === 2 ? 0 : 1,
      overdue: { amount: index === 2 ? 0 : 64_000 - index * 30_000, currency: site.currency },
    })),
  };
}

/** The accountant's file by month: one without anything, one that lacks a rate. */
export function accountantFile(websites, currency, month, until) {
  const months = [];
  for (let at = month; at <= (until || month); at = nextMonth(at)) months.push(at);
  const of = (name, index) => ({
    currency: name,
    lines: 4,
    entries: 31,
    approved: 182_450 + index * 4_100,
    reversed: 4_120,
    adjustments: 2_000,
    exchangeDifference: 0,
    closing: 410_000,
    paid: 120_000,
    open: 96_000,
  });
  const own = [...new Set(websites.map((site) => site.currency))];
  return {
    websites: websites.length,
    currency: currency || null,
    months: months.map((name, index) => ({
      month: name,
      totals: (currency ? [currency] : own).map((code) => of(code, index)),
      notConverted:
        currency && !WORTH[currency]
          ? [{ lines: 3, earned: { amount: 40_100, currency: own[0] }, lacking: `${name}-02` }]
          : [],
    })),
  };
}

const nextMonth = (month) => {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
};
