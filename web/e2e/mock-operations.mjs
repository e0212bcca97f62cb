// What the operations pages of admins read: a projection being rebuilt, one that failed, dead letters, a system.
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();

const place = (partition, over = {}) => ({
  topic: 'clicks',
  partition,
  nextOffset: 1_204_113,
  endOffset: 1_204_150,
  lagEvents: 37,
  lagSeconds: 0.8,
  domainPosition: 512,
  processed: 1_204_113,
  rate: 142.5,
  error: '',
  owner: 'vm:1156',
  updatedAt: at(0),
  recordAt: at(0),
  ...over,
});
const build = (generation, state, over = {}) => ({
  generation,
  sourceGeneration: null,
  state,
  pausedIn: null,
  version: 1,
  reason: generation === 1 ? '' : 'a rule was changed',
  error: '',
  createdAt: at(90),
  readyAt: null,
  promotedAt: state === 'live' ? at(80) : null,
  retiredAt: null,
  isDropped: false,
  promotesWhenReady: false,
  lagEvents: 0,
  rate: 0,
  progress: { done: 812_000, of: 1_204_150, unit: 'records', percent: 67.4 },
  etaSeconds: state === 'building' ? 75 : null,
  positions: [],
  ...over,
});
const comparison = {
  done: 2,
  of: 2,
  live: 1,
  rebuilt: 2,
  isEqual: false,
  at: { 'clicks[0]': 1_204_113 },
  differenceCount: 2,
  tables: [
    {
      table: 'traffic_15m',
      liveRows: 4032,
      rebuiltRows: 4033,
      hash: 'f88dcee211f92fc5',
      differences: 2,
      sums: [{ column: 'clicks', live: '120411', rebuilt: '120412' }],
    },
    {
      table: 'events',
      liveRows: 1_204_113,
      rebuiltRows: 1_204_113,
      hash: '6b9f5d6fd907ebaa',
      differences: 0,
      sums: [],
    },
  ],
  differences: [
    {
      table: 'traffic_15m',
      period: '202611',
      side: 'live',
      row: "('0190a1b2-0000-7000-8000-000000000001','2026-11-01 00:00:00',1)",
    },
  ],
};
const request = (id, action, state, over = {}) => ({
  id,
  action,
  reason: 'a rule was changed',
  force: false,
  actor: 'Sigrún Jónsdóttir',
  state,
  generation: 2,
  error: '',
  requestedAt: at(10),
  finishedAt: state === 'running' ? null : at(9),
  recordedAt: at(9),
  comparison: null,
  ...over,
});
const projection = (name, kind, over = {}) => ({
  name,
  kind,
  family: null,
  version: 1,
  liveGeneration: 1,
  state: 'live',
  isRunning: true,
  isRetrying: false,
  lagEvents: 148,
  lagSeconds: 0.8,
  rate: 570,
  error: '',
  updatedAt: at(0),
  lagSeries: [3, 9, 4, 120, 80, 12, 5, 7, 148],
  lagEverySeconds: 10,
  openDeadLetters: 0,
  differs: false,
  builds: [build(1, 'live', { positions: [0, 1, 2, 3].map((partition) => place(partition)) })],
  requests: [],
  ...over,
});
const failed =
  'SinkLostRows: ClickHouse has no row of offset 91, though the position is 120: rows that were inserted are gone; rebuild this projection';
const PROJECTIONS = [
  projection('events', 'clickhouse', {
    openDeadLetters: 30,
    builds: [build(2, 'ready', { readyAt: at(5) }), ...projection('', '').builds],
  }),
  projection('refusals', 'clickhouse', {
    state: 'failed',
    error: failed,
    builds: [build(1, 'failed', { pausedIn: 'live', error: failed })],
  }),
  projection('links', 'postgres', { builds: [build(2, 'building'), build(1, 'live')] }),
  projection('accounts', 'postgres', {
    state: 'paused',
    builds: [build(2, 'retired', { retiredAt: at(60) }), build(1, 'paused', { pausedIn: 'live' })],
  }),
  projection('traffic_15m', 'rollup', {
    family: 'events',
    builds: [build(2, 'ready', { sourceGeneration: 2 }), build(1, 'live', { sourceGeneration: 1 })],
  }),
];
const REBUILD_RUN = {
  id: '0190a1b2-0000-7000-8000-0000000000c1',
  actor: 'Ada',
  reason: 'new rule',
  startedAt: at(9),
  promotes: true,
  isOpen: true,
  rebuilds: [
    { name: 'refusals', state: 'failed', error: failed },
    { name: 'links', state: 'running', error: '' },
    { name: 'accounts', state: 'waiting', error: '' },
  ],
};
const detail = (name) => {
  const found = PROJECTIONS.find((row) => row.name === name) ?? PROJECTIONS[0];
  return {
    ...found,
    places: [0, 1, 2, 3].map((partition) => ({ topic: 'clicks', partition, lag: [4, 8, 15, 3, 37] })),
    rebuild: { events: 1_204_150, seconds: 14, bytes: 377_000_000, tables: [found.name] },
    requests: [
      request('q1', 'verify', 'done', { comparison }),
      request('q2', 'promote', 'refused', {
        error: 'Generation 2 of events differs from the live one. Review the differences, or force it.',
      }),
      request('q3', 'rebuild', 'done'),
    ],
  };
};
const letter = (index) => ({
  id: `d${index}`,
  projection: 'events',
  generation: 1,
  topic: 'clicks',
  partition: index % 4,
  offset: 9000 + index,
  reason: 'bad_json',
  error: 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
  bytes: 128 + index,
  firstAt: at(index * 3),
  attempts: 1 + (index % 3),
  correlationId: '',
  state: index === 4 ? 'skipped' : index === 5 ? 'retried' : 'open',
  isWaiting: false,
  decidedAt: null,
});
const group = (projectionName, reason, open) => ({
  projection: projectionName,
  reason,
  open,
  waiting: 0,
  retried: 3,
  skipped: 1,
  superseded: 2,
  oldestAt: at(900),
  newestAt: at(2),
  lastError: 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
});
const USAGE = {
  budget: { commands: 20_000, bytes: 268_435_456 },
  accounts: [
    {
      accountId: '00000000-0000-4000-8000-000000000031',
      email: 'sigrun@example.com',
      commands: 412,
      bytes: 18_400_212,
      refused: 0,
    },
    { accountId: '00000000-0000-4000-8000-000000000032', email: null, commands: 20_000, bytes: 4_212_004, refused: 3 },
  ],
};

const SYSTEM = {
  version: '1.0',
  python: '3.11.9',
  isStack: true,
  projectors: 1,
  processes: ['stack', 'kafka', 'postgres', 'clickhouse', 'command', 'query', 'ingest', 'projectors', 'web'].map(
    (name, index) => ({
      name,
      pid: 1000 + index,
      state: name === 'projectors' ? 'backoff' : 'running',
      restarts: index % 2,
      uptimeSeconds: 86_400 * index + 42,
      memoryBytes: 38_000_000 * (index + 1),
    }),
  ),
  engines: [
    { name: 'kafka', version: '4.1.0', answers: true, note: '' },
    { name: 'postgres', version: '18.4', answers: true, note: '' },
    {
      name: 'clickhouse',
      version: null,
      answers: false,
      note: 'The analytics store does not answer just now. Please try again in a moment.',
    },
  ],
  disk: {
    total: 500e9,
    used: 210e9,
    free: 290e9,
    folders: { kafka: 12e9, clickhouse: 4.1e9, postgres: 900e6, logs: 12e6 },
  },
  log: [0, 1, 2, 3].map((partition) => ({
    topic: 'clicks',
    partition,
    endOffset: 1_204_150,
    seenAt: at(0),
    readers: [{ projection: 'events', lagEvents: partition * 3 }],
  })),
  freshness: { lastSeconds: 0.21, medianSeconds: 0.34, worstSeconds: 2.2, measuredAt: at(0), steps: 88 },
  throughput: Array.from({ length: 60 }, (_, index) => ({
    at: at(60 - index),
    inPerSecond: 40 + ((index * 13) % 30),
    outPerSecond: 40 + ((index * 11) % 30),
  })),
  canary: {
    isOn: true,
    lastSeconds: 0.62,
    p95Seconds: 1.4,
    readableAt: at(0),
    isLate: false,
    points: [0.5, 0.7, 0.6, 1.4, 0.62].map((seconds, i) => ({ at: at(4 - i), seconds })),
  },
  backups: [
    {
      id: '0190a1b2-0000-7000-8000-0000000000b2',
      startedAt: at(60),
      finishedAt: at(58),
      state: 'done',
      folder: '/srv/backups/20261120T030000Z-0190a1b2',
      bytes: 48_200_000,
      events: 1_203_400,
      error: '',
      verifiedAt: at(58),
      restoredAt: at(20),
      drillError: '',
    },
    {
      id: '0190a1b2-0000-7000-8000-0000000000b1',
      startedAt: at(1500),
      finishedAt: at(1499),
      state: 'failed',
      folder: '/srv/backups/20261119T030000Z-0190a1b1',
      bytes: 0,
      events: 0,
      error: '/srv/backups has 0.1 GB free, and a backup may need 0.4 GB; free some space, or choose another folder.',
      verifiedAt: null,
      restoredAt: null,
      drillError: '',
    },
  ],
};

const subscriber = (name, topic, partition, over = {}) => ({
  name,
  topic,
  partition,
  lagEvents: 0,
  lagSeconds: 0,
  openDeadLetters: 0,
  error: '',
  updatedAt: at(0),
  ...over,
});
const SUBSCRIPTIONS = {
  subscribers: [
    subscriber('notifications', 'domain', 0, { openDeadLetters: 1 }),
    subscriber('policy:attribution', 'conversions', 0),
    subscriber('policy:attribution', 'conversions', 1, { lagEvents: 1_840, lagSeconds: 14.2 }),
  ],
  processManagers: [
    { name: 'marketplace:escrow-status', waiting: 3, due: 0, dueSeconds: 0, nextAt: at(-6), openDeadLetters: 0 },
    { name: 'marketplace:offer-expiry', waiting: 41, due: 2, dueSeconds: 0.4, nextAt: at(-90), openDeadLetters: 1 },
  ],
  inlineProjections: [
    { name: 'monthly_totals', version: 1, generation: 1, rebuiltAt: at(60 * 24 * 40) },
    { name: 'website_owners', version: 1, generation: 2, rebuiltAt: at(60 * 24 * 3) },
  ],
};

/** The answer to a read of the operations pages, or null. */
export function operationsAnswer(key) {
  const answers = {
    'GET /api/admin/projections': PROJECTIONS,
    'GET /api/admin/rebuild-runs/latest': REBUILD_RUN,
    'GET /api/admin/subscriptions': SUBSCRIPTIONS,
    'GET /api/admin/dead-letters/groups': [
      group('events', 'bad_json', 30),
      group('policy:attribution', 'DataError', 0),
    ],
    'GET /api/admin/dead-letters': Array.from({ length: 8 }, (_, index) => letter(index)),
    'POST /api/admin/dead-letters/d0/reveal': {
      ...letter(0),
      key: 'k',
      headers: { h: 'ab' },
      text: '{"event_id": "x", "type": 3}',
      base64: '',
      bytes: 28,
    },
    'GET /api/admin/system': SYSTEM,
    'GET /api/admin/account-usage': USAGE,
  };
  if (key in answers) return [answers[key], 200];
  const one = /^GET \/api\/admin\/projections\/(\w+)$/.exec(key);
  return one ? [detail(one[1]), 200] : null;
}
