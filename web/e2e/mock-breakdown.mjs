// Reports by dimension, whose rows add up to the overview's totals.
const VALUES = {
  page: [
    ['/best-vpn-2026', 30],
    ['/reviews/nordvpn', 21],
    ['/', 14],
    ['/nordvpn-vs-surfshark', 9],
    ['/guides/streaming-abroad', 7],
    ['/reviews/surfshark', 6],
    ['/deals/black-friday', 5],
    ['/guides/what-is-a-vpn', 4],
    ['/about', 2],
    ['/reviews/a-page-with-a-rather-long-address/and-a-second-part?with=query', 2],
  ],
  source: [
    ['google', 41],
    ['newsletter', 19],
    ['', 15],
    ['reddit', 9],
    ['bing', 6],
    ['youtube', 5],
    ['duckduckgo', 3],
    ['t.co', 2],
  ],
  channel: [
    ['Organic search', 50],
    ['Email', 19],
    ['Direct', 15],
    ['Social', 11],
    ['Referral', 5],
  ],
  referrer: [
    ['https://www.google.com/', 41],
    ['', 34],
    ['https://www.reddit.com/r/VPN/', 9],
    ['https://www.bing.com/', 6],
    ['https://www.youtube.com/', 5],
    ['https://duckduckgo.com/', 3],
    ['https://t.co/', 2],
  ],
  utm_campaign: [
    ['', 62],
    ['november-issue', 17],
    ['black-friday', 12],
    ['welcome-series', 6],
    ['winter', 3],
  ],
  utm_source: [
    ['', 62],
    ['newsletter', 23],
    ['youtube', 10],
    ['partner-blog', 5],
  ],
  utm_medium: [
    ['', 62],
    ['email', 23],
    ['video', 10],
    ['cpc', 5],
  ],
  utm_content: [
    ['', 70],
    ['top-button', 18],
    ['ps-link', 12],
  ],
  utm_term: [
    ['', 95],
    ['best vpn', 5],
  ],
  region: [
    ['US-CA', 16],
    ['US-NY', 12],
    ['DE-BE', 10],
    ['GB-ENG', 14],
    ['IS-1', 8],
    ['CA-ON', 7],
    ['DE-BY', 7],
    ['', 26],
  ],
  city: [
    ['New York', 12],
    ['London', 11],
    ['Berlin', 10],
    ['Reykjavík', 8],
    ['Toronto', 6],
    ['', 53],
  ],
  device: [
    ['desktop', 52],
    ['mobile', 42],
    ['tablet', 6],
  ],
  browser: [
    ['Chrome', 55],
    ['Safari', 24],
    ['Firefox', 11],
    ['Edge', 8],
    ['Opera', 2],
  ],
  os: [
    ['Windows', 37],
    ['iOS', 22],
    ['Android', 21],
    ['macOS', 14],
    ['Linux', 6],
  ],
  language: [
    ['en', 64],
    ['de', 18],
    ['is', 9],
    ['fr', 6],
    ['nl', 3],
  ],
  placement: [
    ['sidebar', 34],
    ['review-button', 29],
    ['comparison-table', 21],
    ['', 16],
  ],
  event: [
    ['pageview', 60],
    ['click', 30],
    ['signup', 6],
    ['video_play', 4],
  ],
  sub1: [
    ['sidebar', 42],
    ['review', 31],
    ['footer', 17],
    ['', 10],
  ],
};
VALUES.entry_page = VALUES.page;
VALUES.exit_page = VALUES.page;

/** The rare dimensions that have a value. */
export const USED = Object.keys(VALUES).filter((name) => /^(utm_|sub|placement$|region$|language$)/.test(name));

const COUNTS = ['clicks', 'visitors', 'visits', 'pageviews', 'conversions'];

export function breakdown(query, overview, { partners, links, countries }) {
  const by = query.by.split(',');
  const lists = by.map((name) => valuesOf(name, { partners, links, countries }));
  const cells = lists.reduce(
    (sofar, list) => sofar.flatMap((cell) => list.map((item) => [...cell, item])),
    /** @type {[string, number, string?][][]} */ ([[]]),
  );
  const whole = cells.reduce((sum, cell) => sum + weight(cell), 0) || 1;
  const totals = {
    clicks: overview.clicks.total,
    visitors: overview.visitors,
    visits: Math.round(overview.visitors * 1.2),
    pageviews: overview.pageviews,
    conversions: overview.conversions.total,
    revenue: Math.round(overview.revenue.total * 100),
  };
  const left = { ...totals };
  const rows =
    totals.pageviews === 0
      ? []
      : cells.map((cell, place) => {
          const last = place === cells.length - 1;
          const share = weight(cell) / whole;
          const tilt = 0.7 + (0.6 * ((place * 7) % 5)) / 4;
          const row = {};
          for (const name of [...COUNTS, 'revenue']) {
            const lean = name === 'revenue' || name === 'conversions' ? tilt : 1;
            row[name] = last ? left[name] : Math.min(left[name], Math.round(totals[name] * share * lean));
            left[name] -= row[name];
          }
          return {
            values: Object.fromEntries(by.map((name, index) => [name, cell[index][0]])),
            labels: Object.fromEntries(by.map((name, index) => [name, cell[index][2] ?? cell[index][0]])),
            label: cell.map(([value, , label]) => label ?? (value || '(not set)')).join(' · '),
            ...withRates(row),
            previous: query.compare === 'none' ? null : withRates(scaled(row, 0.8 + (0.25 * ((place * 3) % 4)) / 3)),
          };
        });
  const found = rows.filter((row) => !query.search || row.label.toLowerCase().includes(query.search.toLowerCase()));
  const sort = query.sort ?? '-visitors';
  const key = sort.replace('-', '');
  found.sort((a, b) => (sort.startsWith('-') ? b[key] - a[key] : a[key] - b[key]));
  const start = Number(query.cursor ?? 0);
  const end = start + Number(query.limit ?? 50);
  return {
    range: overview.range,
    currency: 'USD',
    by,
    rows: found.slice(start, end),
    totals: { ...withRates(totals), previous: query.compare === 'none' ? null : withRates(scaled(totals, 0.9)) },
    nextCursor: end < found.length ? String(end) : null,
    costSpread: ['days', 'traffic'],
  };
}

const weight = (cell) => cell.reduce((product, [, share]) => product * share, 1);

function valuesOf(name, { partners, links, countries }) {
  if (name === 'partner') return partners.map((item, index) => [item.id, 10 / (index + 1.4), item.name]);
  if (name === 'link') return links.map((item, index) => [item.id, 10 / (index + 1.4), item.slug]);
  if (name === 'country') return countries;
  if (name === 'weekday_hour')
    return Array.from({ length: 168 }, (_, index) => {
      const [day, hour] = [Math.floor(index / 24), index % 24];
      const awake = Math.max(0.05, Math.sin(((hour - 5) / 19) * Math.PI));
      return [`${day + 1}-${hour}`, awake * (day > 4 ? 1.4 : 1)];
    });
  return VALUES[name] ?? [['', 1]];
}

/** Revenue comes in minor units; all rates follow from the counts. */
function withRates({ clicks, visitors, visits, pageviews, conversions, revenue }) {
  const per = (a, b, digits = 2) => (b ? Math.round((a / b) * 10 ** digits) / 10 ** digits : 0);
  return {
    visitors,
    visits,
    pageviews,
    clicks,
    conversions,
    revenue: revenue / 100,
    views_per_visit: per(pageviews, visits),
    bounce_rate: visits ? Math.round(5600 - 900 * Math.sin(visits)) / 100 : 0,
    visit_duration: visits ? Math.round(95 + 40 * Math.sin(visits)) : 0,
    click_through_rate: per(clicks * 100, pageviews),
    epc: per(revenue / 100, clicks, 4),
    revenue_per_1000_visits: per(revenue * 10, visits),
    conversion_rate: per(conversions * 100, clicks),
    ...costsOf(revenue, clicks, conversions),
  };
}

/** One source loses money. */
function costsOf(revenue, clicks, conversions) {
  const cost = Math.round(clicks * 11);
  const per = (a, b) => (b ? Math.round((a / b) * 100) / 100 : null);
  return {
    cost: cost / 100,
    profit: (revenue - cost) / 100,
    roi: per((revenue - cost) * 100, cost),
    roas: per(revenue, cost),
    cost_per_click: per(cost / 100, clicks),
    cost_per_conversion: per(cost / 100, conversions),
    break_even_epc: per(cost / 100, clicks),
  };
}

const scaled = (row, factor) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Math.round(value * factor)]));
