import { answer, api } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';

const PAGE = 30;

export const queueQuery = cursorQuery({
  queryKey: ['forum', 'queue'],
  read: (at, signal) =>
    answer(api.GET('/api/admin/forum/queue', { params: { query: { limit: PAGE, ...at } }, signal })),
  staleTime: 0,
});

export const logQuery = cursorQuery({
  queryKey: ['forum', 'log'],
  read: (at, signal) => answer(api.GET('/api/forum/log', { params: { query: { limit: PAGE, ...at } }, signal })),
  staleTime: 0,
});
