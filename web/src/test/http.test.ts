import { expect, test } from 'vitest';
import { api } from '@/lib/api/client';
import { http, json, noContent, refuse } from './http';
import { server } from './server';

test('a mocked route takes its path, its method and its answer from the OpenAPI document', async () => {
  server.use(
    http.get('/api/platform/websites/{id}/keys', ({ params }) => refuse(404, `No website ${params['id']}.`)),
    http.get('/api/public/early-access', () => json({ places: 10, left: 7 })),
  );
  expect((await api.GET('/api/public/early-access')).data).toEqual({ places: 10, left: 7 });
  const keys = api.GET('/api/platform/websites/{id}/keys', { params: { path: { id: 'w7' } } });
  await expect(keys).rejects.toMatchObject({ status: 404, message: 'No website w7.' });

  // @ts-expect-error -- a field is missing
  http.get('/api/public/early-access', () => json({ places: 10 }));
  // @ts-expect-error -- a field has another type
  http.get('/api/public/early-access', () => json({ places: 10, left: '7' }));
  // @ts-expect-error -- the answer has no such field
  http.get('/api/public/early-access', () => json({ places: 10, left: 7, right: 3 }));
  // @ts-expect-error -- the answer has a body
  http.get('/api/public/early-access', () => noContent());
  // @ts-expect-error -- the path has no such method
  http.delete('/api/public/early-access', () => noContent());
  // @ts-expect-error -- there is no such path
  http.get('/api/public/late-access', () => noContent());
});
