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
  const periods = { today: [29, 30], yesterday: [28, 29], last7Days: [23, 30], last30Days: [0, 30] };
  const rows = websites.map((site) => {
    const days = series(site);
    const period = ([first, after]) => {
      const part = days.slice(first, after);
      const sum = (name) => part.reduce((total, item) => total + item[name], 0);
      const revenue = sum('revenue') * 100;
      const worth = rate(site.currency);
      return {
        clicks: sum('clicks'),
        visitors: Math.round(sum('unique') * 1.7),
        conversions: sum('conversions'),
        revenue: money(revenue, site.currency),
        converted: worth === null ? null : money(revenue * worth, shown),
      };
    };
    return {
      websiteId: site.id,
      domain: site.domain,
      timezone: site.timezone,
      currency: site.currency,
      ...Object.fromEntries(Object.entries(periods).map(([name, part]) => [name, period(part)])),
      series: {
        from: days[0].date,
        clicks: days.map((item) => item.clicks),
        revenue: days.map((item) => Math.round(item.revenue * 100)),
      },
    };
  });
  const total = (name) => {
    const sum = (metric) => rows.reduce((found, row) => found + row[name][metric], 0);
    const apart = rows.filter((row) => !row[name].converted).map((row) => row[name].revenue);
    return {
      clicks: sum('clicks'),
      visitors: sum('visitors'),
      conversions: sum('conversions'),
      revenue: money(
        rows.reduce((found, row) => found + (row[name].converted?.amount ?? 0), 0),
        shown,
      ),
      notConverted: apart,
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
