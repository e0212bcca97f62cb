import { screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { renderPart } from '@/test/render';
import { DeadLettersPanel } from './dead-letters-panel';
import { ProjectionsPanel } from './projections-panel';
import type {
  Build,
  Comparison,
  DeadLetter,
  DeadLetterGroup,
  Projection,
  ProjectionDetail,
  OperationRequest,
  RebuildRun,
  Subscriptions,
  System,
} from '../api/operations';
import { allowed, candidateOf, formatBytes, formatSpan } from '../lib/format';
import { highest } from '../lib/highest';
import { EVERY_PROJECTION } from '../lib/projection-filter';
import { progressOf } from '../lib/rebuild-all';
import { SubscriptionsPanel } from './subscriptions-panel';
import { SystemPanel } from './system-panel';

const AT = '2026-11-20T12:00:00Z';

const build = (over: Partial<Build> = {}): Build => ({
  generation: 1,
  sourceGeneration: null,
  state: 'live',
  pausedIn: null,
  version: 1,
  reason: '',
  error: '',
  createdAt: AT,
  readyAt: AT,
  promotedAt: AT,
  retiredAt: null,
  isDropped: false,
  promotesWhenReady: false,
  lagEvents: 0,
  rate: 0,
  progress: { done: 10, of: 10, unit: 'records', percent: 100 },
  etaSeconds: null,
  positions: [],
  ...over,
});
const projection = (over: Partial<Projection> = {}): Projection => ({
  name: 'links',
  kind: 'postgres',
  family: null,
  version: 1,
  liveGeneration: 1,
  state: 'live',
  isRunning: true,
  isRetrying: false,
  differs: false,
  lagEvents: 0,
  lagSeconds: 0,
  rate: 0,
  error: '',
  updatedAt: AT,
  lagSeries: [0, 3, 0],
  lagEverySeconds: 10,
  openDeadLetters: 0,
  builds: [build()],
  requests: [],
  ...over,
});
const request = (over: Partial<OperationRequest> = {}): OperationRequest => ({
  id: 'r1',
  action: 'verify',
  reason: 'a look',
  force: false,
  actor: 'Ada',
  state: 'done',
  generation: 2,
  error: '',
  requestedAt: AT,
  finishedAt: AT,
  recordedAt: AT,
  comparison: null,
  ...over,
});
const comparison: Comparison = {
  done: 1,
  of: 1,
  live: 1,
  rebuilt: 2,
  isEqual: false,
  at: {},
  differenceCount: 1,
  tables: [
    {
      table: 'links',
      liveRows: 4,
      rebuiltRows: 3,
      hash: 'abc',
      differences: 1,
      sums: [{ column: 'clicks', live: '7', rebuilt: '6' }],
    },
  ],
  differences: [{ table: 'links', period: '', side: 'live', row: '(1)' }],
};
const detail = (of: Projection, over: Partial<ProjectionDetail> = {}): ProjectionDetail => ({
  ...of,
  places: [],
  rebuild: { events: 1200, seconds: 61, bytes: 2_500_000, tables: ['links'] },
  ...over,
});

function serve(rows: Projection[], details: ProjectionDetail) {
  server.use(
    http.get('/api/admin/projections', () => json(rows)),
    http.get('/api/admin/projections/{name}', () => json(details)),
    http.get('/api/admin/rebuild-runs/latest', () => json(null)),
  );
}
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;

test('subscribers show their lag, process managers what is due, inline projections when they were built', async () => {
  const subscriber = { topic: 'conversions', partition: 1, openDeadLetters: 2, error: '', updatedAt: AT };
  const shown: Subscriptions = {
    subscribers: [
      { ...subscriber, name: 'policy:attribution', lagEvents: 1840, lagSeconds: 14 },
      { ...subscriber, name: 'notifications', lagEvents: null, lagSeconds: 0, error: 'LogUnavailable' },
    ],
    processManagers: [
      { name: 'marketplace:offer-expiry', waiting: 41, due: 2, dueSeconds: 61, nextAt: null, openDeadLetters: 0 },
    ],
    inlineProjections: [{ name: 'monthly_totals', version: 3, generation: 7, rebuiltAt: AT }],
  };
  server.use(http.get('/api/admin/subscriptions', () => json(shown)));
  renderPart(<SubscriptionsPanel />);
  const behind = await screen.findByRole('row', { name: /policy:attribution/ });
  expect(within(behind).getByText('Behind')).toBeVisible();
  expect(within(behind).getByText('1,840')).toBeVisible();
  expect(screen.getByRole('row', { name: /notifications/ })).toHaveTextContent('Retrying: LogUnavailableUnknown');
  expect(screen.getByRole('row', { name: /offer-expiry/ })).toHaveTextContent('2oldest 1 min');
  expect(screen.getByRole('row', { name: /monthly_totals/ })).toHaveTextContent('37');
});

test('a rebuild shows its cost, requires a reason and shows its outcome', async () => {
  const row = projection();
  const rows = [row];
  serve(rows, detail(row));
  server.use(
    http.post('/api/admin/projections/{name}/{action}', () => {
      rows[0] = projection({
        builds: [
          build({
            generation: 2,
            state: 'building',
            progress: { done: 3, of: 12, unit: 'records', percent: 25 },
            etaSeconds: 9,
            lagEvents: 9,
            rate: 1,
          }),
          build(),
        ],
        requests: [request({ id: 'r9', action: 'rebuild' })],
      });
      return json({ id: 'r9', projection: 'links', action: 'rebuild', state: 'waiting' }, { status: 202 });
    }),
  );
  const { user } = renderPart(<ProjectionsPanel selected={null} onSelect={() => undefined} />);
  await user.click(await screen.findByRole('button', { name: 'Rebuild links' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rebuild links' });
  expect(await within(dialog).findByText('1,200')).toBeInTheDocument();
  expect(dialog).toHaveTextContent('1 min 1 s');
  expect(dialog).toHaveTextContent('2.5 MB');
  await user.click(within(dialog).getByRole('button', { name: 'Rebuild' }));
  expect(within(dialog).getByText('Please give a reason')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Reason'), 'new rule');
  await user.click(within(dialog).getByRole('button', { name: 'Rebuild' }));
  expect(await screen.findByRole('progressbar', { name: 'Rebuild of links, generation 2' })).toHaveAttribute(
    'aria-valuenow',
    '25',
  );
  expect(bodyOf('POST /api/admin/projections/links/rebuild')).toEqual({ reason: 'new rule', force: false });
  expect(await screen.findByText('Rebuild links: done')).toBeInTheDocument();
});

function Panel() {
  const [filter, setFilter] = useState(EVERY_PROJECTION);
  const [selected, setSelected] = useState<string | null>(null);
  return <ProjectionsPanel selected={selected} onSelect={setSelected} filter={filter} onFilter={setFilter} />;
}

test('the list is searched and narrowed to what needs attention; a detail opens below its row', async () => {
  const rows = [
    projection({ name: 'clicks', kind: 'clickhouse', lagEvents: 900, lagSeconds: 61 }),
    projection({ name: 'links' }),
    projection({ name: 'partners', differs: true }),
    projection({ name: 'paused_one', state: 'paused' }),
  ];
  serve(rows, detail(projection({ name: 'partners' })));
  const { user } = renderPart(<Panel />);
  const names = () => screen.getAllByRole('button', { name: /^Show / }).map((button) => button.textContent);
  await user.click(await screen.findByRole('button', { name: 'Only unhealthy (3)' }));
  expect(names()).toEqual(['clicks', 'partners', 'paused_one']);
  await user.type(screen.getByRole('searchbox', { name: 'Search projections' }), 'PART');
  expect(names()).toEqual(['partners']);
  await user.click(screen.getByRole('button', { name: 'Show partners' }));
  const below = screen.getByRole('button', { name: 'Show partners' }).closest('tr')?.nextElementSibling;
  expect(await within(below as HTMLElement).findByRole('region', { name: 'Partitions' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Show partners' }));
  expect(screen.queryByRole('region', { name: 'Partitions' })).not.toBeInTheDocument();
});

const rebuildRun = (over: Partial<RebuildRun> = {}): RebuildRun => ({
  id: 'run1',
  actor: 'Ada',
  reason: 'new rule',
  startedAt: AT,
  promotes: true,
  isOpen: true,
  rebuilds: [
    { name: 'clicks', state: 'done', error: '' },
    { name: 'links', state: 'failed', error: 'disk full' },
    { name: 'partners', state: 'running', error: '' },
  ],
  ...over,
});

/** The list of projections, and the run as the server shows it: `runs` one after the other. */
function serveRuns(...runs: (RebuildRun | null)[]) {
  serve(
    ['clicks', 'links', 'partners'].map((name) => projection({ name })),
    detail(projection()),
  );
  server.use(
    http.get('/api/admin/rebuild-runs/latest', () => json((runs.length > 1 ? runs.shift() : runs[0]) ?? null)),
  );
}

test('all are rebuilt by the server with one reason; a failure is named', async () => {
  serveRuns(null, rebuildRun());
  server.use(
    http.post('/api/admin/rebuild-runs', () => json({ id: 'run1' }, { status: 202 })),
    http.post('/api/admin/rebuild-runs/cancel', () => json({ id: 'run1' }, { status: 202 })),
  );
  const { user } = renderPart(<Panel />);
  await user.click(await screen.findByRole('button', { name: 'Rebuild all' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rebuild 3 projections' });
  await user.type(within(dialog).getByLabelText('Reason'), 'new rule');
  await user.click(within(dialog).getByLabelText('Promote each one when it is ready'));
  await user.click(within(dialog).getByRole('button', { name: 'Rebuild all' }));
  expect(await screen.findByText('Rebuilding partners: 3 of 3, 1 failed')).toBeInTheDocument();
  expect(screen.getByText('links: disk full')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Rebuild all' })).toBeDisabled();
  expect(bodyOf('POST /api/admin/rebuild-runs')).toEqual({
    names: ['clicks', 'links', 'partners'],
    reason: 'new rule',
    promotes: true,
  });
  await user.click(screen.getByRole('button', { name: 'Stop rebuilding' }));
  await waitFor(() => expect(requests('POST')).toContain('POST /api/admin/rebuild-runs/cancel'));
});

test('the outcome of a run stays until it is dismissed', async () => {
  serveRuns(rebuildRun({ isOpen: false }));
  const { user } = renderPart(<Panel />);
  expect(await screen.findByText('Rebuilt 1 of 3 projections, 1 failed')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText(/^Rebuilt/)).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Rebuild all' })).toBeEnabled();
});

test('a run says how it stands', () => {
  const [one, two] = ['clicks', 'links'];
  const of = (first: string, second: string, isOpen = true) =>
    progressOf(
      rebuildRun({
        isOpen,
        rebuilds: [
          { name: one, state: first, error: '' },
          { name: two, state: second, error: '' },
        ],
      }),
    );
  expect(of('waiting', 'waiting')).toBe('Waiting to rebuild 2 of 2 projections');
  expect(of('running', 'waiting')).toBe('Rebuilding clicks: 1 of 2');
  expect(of('running', 'cancelled')).toBe('Stopping, and canceling clicks');
  expect(of('done', 'cancelled', false)).toBe('Stopped after 1 of 2 projections');
});

test('the bar of a build never moves back', () => {
  const shown = [0, 40, 38.5, 41, 99.9, 100].map((percent) => highest('links 7', percent));
  expect(shown).toEqual([0, 40, 40, 41, 99.9, 100]);
  expect(highest('links 8', 3)).toBe(3);
});

test('a build that differs is promoted only after its name was typed', async () => {
  const row = projection({ builds: [build({ generation: 2, state: 'ready' }), build()] });
  serve([row], detail(row, { requests: [request({ comparison })] }));
  server.use(http.post('/api/admin/projections/{name}/{action}', () => refuse(409, 'Not now', 'busy')));
  const { user } = renderPart(<ProjectionsPanel selected="links" onSelect={() => undefined} />);
  const parity = await screen.findByRole('region', { name: 'Comparison' });
  expect(within(parity).getByText('1 row differs')).toBeInTheDocument();
  expect(within(parity).getByText('clicks: 7 ≠ 6')).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Promote links' }));
  const dialog = await screen.findByRole('dialog', { name: 'Promote links' });
  await user.type(await within(dialog).findByLabelText('Reason'), 'I know');
  await user.click(within(dialog).getByRole('button', { name: 'Promote' }));
  expect(requests('POST')).toEqual([]);
  await user.type(within(dialog).getByLabelText('Type links to continue'), 'links');
  await user.click(within(dialog).getByRole('button', { name: 'Promote' }));
  expect(await screen.findByText('Promote links: rejected')).toBeInTheDocument();
  expect(bodyOf('POST /api/admin/projections/links/promote')).toEqual({ reason: 'I know', force: true });
});

test('where the table would be too narrow, a list shows what may be done', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => Object.assign(new EventTarget(), { matches: query === '(max-width: 1279px)' }) as MediaQueryList,
  );
  serve([projection()], detail(projection()));
  renderPart(<ProjectionsPanel selected={null} onSelect={() => undefined} />);
  const list = await screen.findByRole('list', { name: 'Projections' });
  expect(within(list).getByRole('button', { name: 'Rebuild links' })).toBeInTheDocument();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
});

test('what may be done follows from the state', () => {
  const ready = build({ generation: 2, state: 'ready' });
  expect(allowed(projection())).toEqual(['pause', 'rebuild']);
  expect(allowed(projection({ state: 'paused' }))).toEqual(['resume', 'rebuild']);
  expect(allowed(projection({ builds: [ready, build()] }))).toEqual(['pause', 'verify', 'promote', 'cancel']);
  expect(allowed(projection({ builds: [build({ generation: 2, state: 'retired' }), build()] }))).toEqual([
    'pause',
    'rebuild',
    'rollback',
  ]);
  expect(
    allowed(projection({ family: 'events', builds: [build({ ...ready, sourceGeneration: 2 }), build()] })),
  ).toEqual([]);
  expect(
    allowed(projection({ family: 'events', builds: [build({ ...ready, sourceGeneration: 1 }), build()] })),
  ).toEqual(['verify', 'promote', 'cancel']);
  expect(
    candidateOf(projection({ builds: [build({ generation: 2, state: 'paused', pausedIn: 'building' }), build()] }))
      ?.generation,
  ).toBe(2);
  expect([formatSpan(0.25), formatSpan(4.2), formatSpan(75), formatSpan(7300), formatSpan(200_000)]).toEqual([
    '250 ms',
    '4.2 s',
    '1 min 15 s',
    '2 h 2 min',
    '2 d 8 h',
  ]);
  expect([formatBytes(12), formatBytes(1500), formatBytes(377e6)]).toEqual(['12 B', '1.5 KB', '377 MB']);
});

test('dead letters show their content only to who says why, and a retry tells what came of it', async () => {
  const group: DeadLetterGroup = {
    projection: 'events',
    reason: 'bad_json',
    open: 1,
    waiting: 0,
    retried: 0,
    skipped: 0,
    superseded: 0,
    oldestAt: AT,
    newestAt: AT,
    lastError: 'no',
  };
  const letter: DeadLetter = {
    id: 'd1',
    projection: 'events',
    generation: 1,
    topic: 'clicks',
    partition: 0,
    offset: 7,
    reason: 'bad_json',
    error: 'no',
    bytes: 9,
    firstAt: AT,
    attempts: 1,
    state: 'open',
    isWaiting: false,
    decidedAt: null,
    correlationId: '',
  };
  const letters = [letter];
  server.use(
    http.get('/api/admin/dead-letters/groups', () => json([group])),
    http.get('/api/admin/dead-letters', () => {
      const [now] = letters as [DeadLetter];
      if (now.isWaiting) letters[0] = { ...now, isWaiting: false, attempts: 2, error: 'still no' };
      return json([now]);
    }),
    http.post('/api/admin/dead-letters/{id}/reveal', () =>
      json({ ...letter, key: 'k', headers: { h: 'x' }, text: '{"a":1}', base64: '', bytes: 7 }),
    ),
    http.post('/api/admin/dead-letters/{id}/retry', () => {
      letters[0] = { ...letter, isWaiting: true };
      return json({ id: 'd1', projection: 'events', state: 'open' });
    }),
  );
  const { user } = renderPart(
    <DeadLettersPanel choice={{ projection: 'events', reason: 'bad_json' }} onChoose={() => undefined} />,
  );
  await user.click(await screen.findByRole('button', { name: 'Reveal clicks[0]@7' }));
  expect(requests('POST')).toEqual([]);
  await user.type(await screen.findByLabelText('Reason'), 'a look');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Reveal' }));
  expect(await screen.findByLabelText('Content')).toHaveTextContent('"a": 1');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Retry clicks[0]@7' }));
  await user.type(await screen.findByLabelText('Reason'), 'again');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Failed again')).toBeInTheDocument();
});

test('the system page says so when nothing is known', async () => {
  const system: System = {
    version: '1',
    python: '3.11',
    isStack: false,
    processes: [],
    engines: [
      { name: 'postgres', version: '18.4', answers: true, note: '' },
      { name: 'clickhouse', version: null, answers: false, note: 'away' },
    ],
    disk: null,
    log: [],
    projectors: 0,
    freshness: { lastSeconds: null, medianSeconds: null, worstSeconds: null, measuredAt: null, steps: 0 },
    throughput: [],
    backups: [],
    canary: {
      isOn: true,
      lastSeconds: 0.5,
      p95Seconds: 0.9,
      readableAt: '2026-01-01T00:00:00Z',
      isLate: true,
      points: [],
    },
  };
  server.use(http.get('/api/admin/system', () => json(system)));
  renderPart(<SystemPanel />);
  await waitFor(() => expect(screen.getByText('No backups yet')).toBeInTheDocument());
  expect(screen.getByText('Not responding')).toBeInTheDocument();
  expect(screen.getByText('No events in the last 15 minutes')).toBeInTheDocument();
  expect(screen.getByText('No page view of the last minute is readable yet')).toBeInTheDocument();
});

test('an error of the server is shown with a way to try again', async () => {
  serve([], detail(projection()));
  server.use(http.get('/api/admin/projections', () => refuse(503, 'Away just now')));
  renderPart(<ProjectionsPanel selected={null} onSelect={() => undefined} />);
  expect(await screen.findByRole('alert')).toHaveTextContent('Error loading projections: Away just now');
  expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
});
