import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { at, refuse, requests, server, state } from '@/test/server';
import { renderPart } from '@/test/render';
import { DeadLettersPanel } from './dead-letters-panel';
import { ProjectionsPanel } from './projections-panel';
import type { Build, Comparison, DeadLetter, DeadLetterGroup, Projection, ProjectionDetail, RequestShown, System } from './queries';
import { allowed, candidateOf, formatBytes, formatSpan } from './shown';
import { SystemPanel } from './system-panel';

const AT = '2026-11-20T12:00:00Z';

const build = (over: Partial<Build> = {}): Build => ({
  generation: 1, sourceGeneration: null, state: 'live', pausedIn: null, version: 1, reason: '', error: '', createdAt: AT, readyAt: AT, promotedAt: AT, retiredAt: null,
  isDropped: false, promotesWhenReady: false, lagEvents: 0, rate: 0, progress: { done: 10, of: 10, unit: 'records', percent: 100 }, etaSeconds: null, positions: [], ...over,
});
const projection = (over: Partial<Projection> = {}): Projection => ({
  name: 'links', kind: 'postgres', family: null, version: 1, liveGeneration: 1, state: 'live', isRunning: true, isRetrying: false, lagEvents: 0, lagSeconds: 0, rate: 0,
  error: '', updatedAt: AT, lagSeries: [0, 3, 0], lagEverySeconds: 10, openDeadLetters: 0, builds: [build()], requests: [], ...over,
});
const request = (over: Partial<RequestShown> = {}): RequestShown => ({
  id: 'r1', action: 'verify', reason: 'a look', force: false, actor: 'Ada', state: 'done', generation: 2, error: '', requestedAt: AT, finishedAt: AT, recordedAt: AT, comparison: null, ...over,
});
const comparison: Comparison = {
  done: 1, of: 1, live: 1, rebuilt: 2, isEqual: false, at: {}, differenceCount: 1,
  tables: [{ table: 'links', liveRows: 4, rebuiltRows: 3, hash: 'abc', differences: 1, sums: [{ column: 'clicks', live: '7', rebuilt: '6' }] }],
  differences: [{ table: 'links', period: '', side: 'live', row: '(1)' }],
};
const detail = (of: Projection, over: Partial<ProjectionDetail> = {}): ProjectionDetail => ({ ...of, places: [], rebuild: { events: 1200, seconds: 61, bytes: 2_500_000, tables: ['links'] }, ...over });

function serve(rows: Projection[], details: ProjectionDetail) {
  server.use(
    http.get(at('/api/admin/projections'), () => HttpResponse.json(rows)),
    http.get(at('/api/admin/projections/{name}'), () => HttpResponse.json(details)),
  );
}
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;

test('a rebuild says what it costs, asks why, and its outcome is told', async () => {
  const row = projection();
  const rows = [row];
  serve(rows, detail(row));
  server.use(
    http.post(at('/api/admin/projections/{name}/{action}'), () => {
      rows[0] = projection({ builds: [build({ generation: 2, state: 'building', progress: { done: 3, of: 12, unit: 'records', percent: 25 }, etaSeconds: 9, lagEvents: 9, rate: 1 }), build()], requests: [request({ id: 'r9', action: 'rebuild' })] });
      return HttpResponse.json({ id: 'r9', projection: 'links', action: 'rebuild', state: 'waiting' }, { status: 202 });
    }),
  );
  const { user } = renderPart(<ProjectionsPanel selected={null} onSelect={() => undefined} />);
  await user.click(await screen.findByRole('button', { name: 'Rebuild links' }));
  const dialog = screen.getByRole('dialog', { name: 'Rebuild links' });
  expect(await within(dialog).findByText('1,200')).toBeInTheDocument();
  expect(dialog).toHaveTextContent('1 min 1 s');
  expect(dialog).toHaveTextContent('2.5 MB');
  await user.click(within(dialog).getByRole('button', { name: 'Rebuild' }));
  expect(within(dialog).getByText('Please give a reason')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Reason'), 'new rule');
  await user.click(within(dialog).getByRole('button', { name: 'Rebuild' }));
  expect(await screen.findByRole('progressbar', { name: 'Rebuild of links, generation 2' })).toHaveAttribute('aria-valuenow', '25');
  expect(bodyOf('POST /api/admin/projections/links/rebuild')).toEqual({ reason: 'new rule', force: false });
  expect(await screen.findByText('Rebuild links: done')).toBeInTheDocument();
});

test('a build that differs is promoted only after its name was typed', async () => {
  const row = projection({ builds: [build({ generation: 2, state: 'ready' }), build()] });
  serve([row], detail(row, { requests: [request({ comparison })] }));
  server.use(http.post(at('/api/admin/projections/{name}/{action}'), () => refuse(409, 'Not now', 'busy')));
  const { user } = renderPart(<ProjectionsPanel selected="links" onSelect={() => undefined} />);
  const parity = await screen.findByRole('region', { name: 'Comparison' });
  expect(within(parity).getByText('1 row differs')).toBeInTheDocument();
  expect(within(parity).getByText('clicks: 7 ≠ 6')).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Promote links' }));
  const dialog = screen.getByRole('dialog', { name: 'Promote links' });
  await user.type(await within(dialog).findByLabelText('Reason'), 'I know');
  await user.click(within(dialog).getByRole('button', { name: 'Promote' }));
  expect(requests('POST')).toEqual([]);
  await user.type(within(dialog).getByLabelText('Type links to go on'), 'links');
  await user.click(within(dialog).getByRole('button', { name: 'Promote' }));
  expect(await screen.findByText('Promote links: refused')).toBeInTheDocument();
  expect(bodyOf('POST /api/admin/projections/links/promote')).toEqual({ reason: 'I know', force: true });
});

test('where the table would be too narrow, a list shows what may be done', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => Object.assign(new EventTarget(), { matches: query === '(max-width: 1279px)' }) as MediaQueryList);
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
  expect(allowed(projection({ builds: [build({ generation: 2, state: 'retired' }), build()] }))).toEqual(['pause', 'rebuild', 'rollback']);
  expect(allowed(projection({ family: 'events', builds: [build({ ...ready, sourceGeneration: 2 }), build()] }))).toEqual([]);
  expect(allowed(projection({ family: 'events', builds: [build({ ...ready, sourceGeneration: 1 }), build()] }))).toEqual(['verify', 'promote', 'cancel']);
  expect(candidateOf(projection({ builds: [build({ generation: 2, state: 'paused', pausedIn: 'building' }), build()] }))?.generation).toBe(2);
  expect([formatSpan(0.25), formatSpan(4.2), formatSpan(75), formatSpan(7300), formatSpan(200_000)]).toEqual(['250 ms', '4.2 s', '1 min 15 s', '2 h 2 min', '2 d 8 h']);
  expect([formatBytes(12), formatBytes(1500), formatBytes(377e6)]).toEqual(['12 B', '1.5 KB', '377 MB']);
});

test('dead letters show their content only to who says why, and a retry tells what came of it', async () => {
  const group: DeadLetterGroup = { projection: 'events', reason: 'bad_json', open: 1, waiting: 0, retried: 0, skipped: 0, oldestAt: AT, newestAt: AT, lastError: 'no' };
  const letter: DeadLetter = { id: 'd1', projection: 'events', generation: 1, topic: 'clicks', partition: 0, offset: 7, reason: 'bad_json', error: 'no', bytes: 9, firstAt: AT, attempts: 1, state: 'open', isWaiting: false, decidedAt: null };
  const letters = [letter];
  server.use(
    http.get(at('/api/admin/dead-letters/groups'), () => HttpResponse.json([group])),
    http.get(at('/api/admin/dead-letters'), () => {
      const [now] = letters as [DeadLetter];
      if (now.isWaiting) letters[0] = { ...now, isWaiting: false, attempts: 2, error: 'still no' };
      return HttpResponse.json([now]);
    }),
    http.post(at('/api/admin/dead-letters/{id}/reveal'), () =>
      HttpResponse.json({ ...letter, key: 'k', headers: { h: 'x' }, text: '{"a":1}', base64: '', bytes: 7 }),
    ),
    http.post(at('/api/admin/dead-letters/{id}/retry'), () => {
      letters[0] = { ...letter, isWaiting: true };
      return HttpResponse.json({ id: 'd1', projection: 'events', state: 'open' });
    }),
  );
  const { user } = renderPart(<DeadLettersPanel choice={{ projection: 'events', reason: 'bad_json' }} onChoose={() => undefined} />);
  await user.click(await screen.findByRole('button', { name: 'Reveal clicks[0]@7' }));
  expect(requests('POST')).toEqual([]);
  await user.type(screen.getByLabelText('Reason'), 'a look');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Reveal' }));
  expect(await screen.findByLabelText('Content')).toHaveTextContent('"a": 1');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Retry clicks[0]@7' }));
  await user.type(screen.getByLabelText('Reason'), 'again');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Still refused')).toBeInTheDocument();
});

test('the system page says so when nothing is known', async () => {
  const system: System = {
    version: '1', python: '3.11', isStack: false, processes: [], engines: [{ name: 'postgres', version: '18.4', answers: true, note: '' }, { name: 'clickhouse', version: null, answers: false, note: 'away' }],
    disk: null, log: [], projectors: 0, freshness: { lastSeconds: null, medianSeconds: null, worstSeconds: null, measuredAt: null, steps: 0 }, throughput: [], backups: [],
    canary: { isOn: true, lastSeconds: 0.5, p95Seconds: 0.9, readableAt: '2026-01-01T00:00:00Z', isLate: true, points: [] },
  };
  server.use(http.get(at('/api/admin/system'), () => HttpResponse.json(system)));
  renderPart(<SystemPanel />);
  await waitFor(() => expect(screen.getByText('No backup has been made')).toBeInTheDocument());
  expect(screen.getByText('Does not answer')).toBeInTheDocument();
  expect(screen.getByText('No event came in the last 15 minutes')).toBeInTheDocument();
  expect(screen.getByText('No page view of the last minute can be read yet')).toBeInTheDocument();
});

test('an error of the server is shown with a way to try again', async () => {
  server.use(http.get(at('/api/admin/projections'), () => refuse(503, 'Away just now')));
  renderPart(<ProjectionsPanel selected={null} onSelect={() => undefined} />);
  expect(await screen.findByRole('alert')).toHaveTextContent('Error loading projections: Away just now');
  expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
});
