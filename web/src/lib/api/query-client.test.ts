import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { newQueryClient } from './query-client';

test('spec §9, data fetching: no retries, no refetch on focus, no polling, never stale', async () => {
  const client = newQueryClient();
  expect(client.getDefaultOptions().queries).toMatchObject({
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
  expect(client.getDefaultOptions().queries?.refetchInterval).toBeUndefined();
  const read = vi.fn(() => Promise.resolve(1));
  await client.fetchQuery({ queryKey: ['a'], queryFn: read });
  await client.fetchQuery({ queryKey: ['a'], queryFn: read });
  const stop = new QueryObserver(client, { queryKey: ['a'], queryFn: read }).subscribe(() => undefined);
  stop();
  expect(read).toHaveBeenCalledTimes(1);
  const fails = vi.fn(() => Promise.reject(new Error('no')));
  await expect(client.fetchQuery({ queryKey: ['b'], queryFn: fails })).rejects.toThrow('no');
  expect(fails).toHaveBeenCalledTimes(1);
});
