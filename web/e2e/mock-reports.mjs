// A saved view, and reports by email: one that comes, one that is paused, one that failed.
const DAY = 86_400_000;

export const savedViews = () => [
  {
    id: 'v1',
    kind: 'view',
    name: 'Reviews from newsletters',
    websiteId: null,
    isDefault: false,
    state: {
      filters: ['source:is:newsletter'],
      bots: 'exclude',
      timeRange: '30d',
      fromDate: null,
      toDate: null,
      compare: 'previous',
      compareFrom: null,
      compareTo: null,
      matchWeekdays: false,
      metric: 'revenue',
      barMetric: 'clicks',
      tabs: {},
      columns: [],
      details: [],
    },
  },
];

const report = (changes) => ({
  websiteId: 'w1',
  domain: 'vpn-review.example',
  viewId: 'v1',
  queryId: null,
  name: 'Reviews from newsletters',
  every: 'weekly',
  weekday: 0,
  day: 1,
  hour: 8,
  parameters: {},
  timezone: 'Atlantic/Reykjavik',
  paused: null,
  nextAt: new Date(Date.now() + 4 * DAY).toISOString(),
  sentAt: new Date(Date.now() - 3 * DAY).toISOString(),
  failedAt: null,
  failure: null,
  ...changes,
});

export const emailReports = () => [
  report({ id: 'r1' }),
  report({ id: 'r2', domain: null, paused: 'website', nextAt: null }),
  report({
    id: 'r3',
    websiteId: null,
    domain: null,
    viewId: null,
    queryId: 's2',
    name: 'Clicks by day',
    every: 'monthly',
    hour: 7,
    failedAt: new Date(Date.now() - 25 * DAY).toISOString(),
    failure: 'The statement took longer than 30 seconds. Ask about a shorter time, or less of it.',
    sentAt: null,
  }),
];
