import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { SavedView } from '@/features/analytics/api/views';
import { savedView } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server } from '@/test/server';

let views: SavedView[];
let sent: { readonly call: string; readonly body?: unknown }[];

beforeEach(() => {
  signIn();
  views = [];
  sent = [];
  const take = async (request: Request, text = '') => {
    const url = new URL(request.url);
    const body: unknown = request.method === 'DELETE' || text ? undefined : await request.json();
    sent.push({ call: `${request.method} ${url.pathname.replace('/api/platform', '')}${url.search}`, body });
  };
  server.use(
    http.get('/api/platform/views', () => json(views)),
    http.post('/api/platform/views', async ({ request }) => {
      await take(request.clone());
      const body = (await request.json()) as Pick<SavedView, 'kind' | 'name' | 'websiteId' | 'state'>;
      const view = savedView({ ...body, id: 'v9' });
      views = [...views, view];
      return json(view, { status: 201 });
    }),
    http.patch('/api/platform/views/{id}', async ({ request, params }) => {
      await take(request.clone());
      const body = (await request.json()) as Partial<SavedView>;
      views = views.map((view) => (view.id === params['id'] ? { ...view, ...body } : view));
      return json(savedView(body));
    }),
    http.delete('/api/platform/views/{id}', async ({ request, params }) => {
      await take(request);
      views = views.filter(({ id }) => id !== params['id']);
      return noContent();
    }),
    http.post('/api/platform/views/{id}/restore', async ({ request }) => {
      await take(request, 'no body');
      views = [savedView()];
      return json(savedView());
    }),
    http.put('/api/platform/views/{id}/default', async ({ request }) => {
      await take(request, 'no body');
      views = views.map((view) => ({ ...view, isDefault: true }));
      return noContent();
    }),
  );
});

const open = async (user: ReturnType<typeof renderApp>['user'], name = 'Views') => {
  await user.click(await screen.findByRole('button', { name }));
  return within(await screen.findByRole('dialog', { name: 'Saved views' }));
};

test('one click applies a view: range, comparison, filters, metric, tabs and columns', async () => {
  views = [savedView()];
  const { user, router } = renderApp('/analytics');
  const panel = await open(user);
  await user.click(await panel.findByRole('button', { name: 'Germany and Austria' }));
  await waitFor(() =>
    expect(router.state.location.search).toEqual({
      range: '30d',
      compare: 'none',
      f: 'is,country,DE,AT',
      metric: 'revenue',
      view: 'v1',
    }),
  );
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Views Germany and Austria' })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'Entry' })).toHaveAttribute('aria-selected', 'true');
  expect(screen.getByLabelText('Metric of the bars')).toHaveValue('clicks');
  expect(localStorage.getItem('breakdown.columns.w1')).toBe('clicks,epc');
});

test('a changed view says so; its changes are saved or discarded', async () => {
  views = [savedView()];
  const { user, router } = renderApp('/analytics?open=v1');
  await screen.findByRole('button', { name: 'Views Germany and Austria' });
  await user.selectOptions(screen.getByLabelText('Time range'), '90d');
  let panel = await open(user, 'Views Germany and Austria modified');
  await user.click(await panel.findByRole('button', { name: 'Discard changes' }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ range: '30d', view: 'v1' }));
  await user.click(screen.getByRole('tab', { name: 'Exit' }));
  panel = await open(user, 'Views Germany and Austria modified');
  await user.click(await panel.findByRole('button', { name: 'Save changes' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    call: 'PATCH /views/v1',
    body: { name: 'Germany and Austria', websiteId: null, state: { tabs: { pages: 'exit_page' }, timeRange: '30d' } },
  });
  expect(await screen.findByRole('button', { name: 'Views Germany and Austria' })).toBeInTheDocument();
});

test('what is shown is saved as a view for everyone, its filters as a segment for oneself', async () => {
  const { user, router } = renderApp('/analytics?range=today&f=contains,page,review');
  let panel = await open(user);
  await user.click(await panel.findByRole('button', { name: 'Save view' }));
  await user.type(panel.getByLabelText('Name of the view'), 'Reviews today');
  await user.selectOptions(panel.getByLabelText('Who can use it'), 'Everyone with access to vpnreview.is');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ view: 'v9' }));
  expect(sent[0]?.body).toMatchObject({
    kind: 'view',
    name: 'Reviews today',
    websiteId: 'w1',
    state: { filters: ['page:contains:review'], timeRange: 'today', tabs: { pages: 'page' } },
  });
  panel = await open(user, 'Views Reviews today');
  await user.click(await panel.findByRole('button', { name: 'Save filters as segment' }));
  await user.type(panel.getByLabelText('Name of the segment'), 'Reviews');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toMatchObject({ kind: 'segment', websiteId: null, state: { timeRange: '7d', tabs: {} } });
});

test('a refusal is shown beside the name', async () => {
  server.use(
    http.post('/api/platform/views', () =>
      refuse(409, 'A view or segment with this name already exists.', 'name_taken'),
    ),
  );
  const { user } = renderApp('/analytics');
  const panel = await open(user);
  await user.click(await panel.findByRole('button', { name: 'Save view' }));
  await user.type(panel.getByLabelText('Name of the view'), 'Twice');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(panel.getByLabelText('Name of the view')).toHaveAccessibleDescription(
      'A view or segment with this name already exists.',
    ),
  );
});

test('a segment replaces the filters and leaves the range', async () => {
  views = [savedView({ kind: 'segment', name: 'DACH' })];
  const { user, router } = renderApp('/analytics?range=90d&f=is,device,mobile');
  const panel = await open(user);
  await user.click(await panel.findByRole('button', { name: 'DACH' }));
  await waitFor(() =>
    expect(router.state.location.search).toEqual({ range: '90d', f: 'is,country,DE,AT', view: 'v1' }),
  );
});

test('a view is renamed and shared; deleting it can be undone', async () => {
  views = [savedView()];
  const { user } = renderApp('/analytics?open=v1');
  const panel = await open(user, 'Views Germany and Austria');
  await user.click(await panel.findByRole('button', { name: 'Edit Germany and Austria' }));
  await user.clear(panel.getByLabelText('Name of the view'));
  await user.type(panel.getByLabelText('Name of the view'), 'DACH');
  await user.selectOptions(panel.getByLabelText('Who can use it'), 'website');
  await user.click(panel.getByRole('button', { name: 'Save' }));
  await user.click(await panel.findByRole('button', { name: 'Delete DACH' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await panel.findByRole('button', { name: 'Germany and Austria' })).toBeInTheDocument();
  expect(sent.map(({ call }) => call)).toEqual(['PATCH /views/v1', 'DELETE /views/v1', 'POST /views/v1/restore']);
  expect(sent[0]?.body).toMatchObject({ name: 'DACH', websiteId: 'w1' });
});

test('a website opens with the default view, but not where the address says what to show', async () => {
  views = [savedView()];
  const { user, router } = renderApp('/analytics?website=w1');
  const panel = await open(user);
  await user.click(await panel.findByRole('button', { name: 'Open vpnreview.is with Germany and Austria' }));
  await waitFor(() => expect(sent[0]?.call).toBe('PUT /views/v1/default?websiteId=w1'));
  await router.navigate({ to: '/insights' });
  await router.navigate({ to: '/analytics' });
  await waitFor(() => expect(router.state.location.search).toMatchObject({ range: '30d', view: 'v1' }));
  await router.navigate({ to: '/insights' });
  await router.navigate({ href: '/analytics?f=is,device,mobile' });
  await screen.findByRole('button', { name: 'Views' });
  expect(router.state.location.search).not.toHaveProperty('view');
});

test('a view that is gone says so, and the page is shown', async () => {
  const { router } = renderApp('/analytics?open=gone&range=30d');
  expect(await screen.findByText('View not found')).toBeInTheDocument();
  await waitFor(() => expect(router.state.location.search).toEqual({ range: '30d' }));
  await waitFor(() => expect(requests('GET /api/platform/analytics/overview?')).toHaveLength(1));
});
