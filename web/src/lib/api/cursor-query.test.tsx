import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { More } from '@/components/data/more';
import { ErrorBox } from '@/components/data/states';
import { renderPart } from '@/test/render';
import type { Answer } from './client';
import { cursorQuery, dropLaterPages, useCursorQuery, type At } from './cursor-query';

const page = (name: string, nextCursor: string | null): Answer<string[]> => ({
  data: [`${name}1`, `${name}2`],
  nextCursor,
  previousCursor: null,
  keptFrom: null,
  freshness: { asOf: null, lagSeconds: null, stale: false },
});
const PAGES: Readonly<Record<string, Answer<string[]>>> = { '': page('a', 'b'), b: page('b', 'c'), c: page('c', null) };
const answer = async ({ cursor = '' }: At) => PAGES[cursor] as Answer<string[]>;

function show(read: (at: At, signal: AbortSignal) => Promise<Answer<string[]>>) {
  const query = cursorQuery({ queryKey: ['letters'], read });
  function List() {
    const list = useCursorQuery(query);
    return (
      <>
        {list.error && <ErrorBox error={list.error} onRetry={list.retry} />}
        <p>{list.isPending ? 'loading' : list.rows?.join(' ')}</p>
        <More of={list} />
      </>
    );
  }
  return { ...renderPart(<List />), key: query.queryKey };
}
const more = () => screen.findByRole('button', { name: 'Show more' });
const again = () => screen.findByRole('button', { name: 'Try again' });

test('each page is requested by the cursor of the previous one, and follows its rows', async () => {
  const read = vi.fn(answer);
  const { user } = show(read);
  expect(screen.getByText('loading')).toBeInTheDocument();
  await user.click(await more());
  await screen.findByText('a1 a2 b1 b2');
  await user.click(await more());
  expect(await screen.findByText('a1 a2 b1 b2 c1 c2')).toBeInTheDocument();
  expect(read.mock.calls.map(([at]) => at)).toEqual([{}, { cursor: 'b' }, { cursor: 'c' }]);
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test('without rows a failure stands for the list', async () => {
  const { user } = show(vi.fn(answer).mockRejectedValueOnce(new Error('Not now.')));
  expect(await screen.findByRole('alert')).toHaveTextContent('Not now.');
  await user.click(await again());
  expect(await screen.findByText('a1 a2')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a page in the middle that fails leaves the rows before it, and is requested again alone', async () => {
  const read = vi.fn(answer);
  const { user } = show(read);
  await more();
  read.mockRejectedValueOnce(new Error('Not now.'));
  await user.click(await more());
  expect(await screen.findByRole('alert')).toHaveTextContent('Not now.');
  expect(screen.getByText('a1 a2')).toBeInTheDocument();
  await user.click(await again());
  expect(await screen.findByText('a1 a2 b1 b2')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(read.mock.calls.map(([at]) => at)).toEqual([{}, { cursor: 'b' }, { cursor: 'b' }]);
});

test('reading again reads the pages that were read; when it fails the rows stay', async () => {
  const read = vi.fn(answer);
  const { user, client, key } = show(read);
  await user.click(await more());
  await screen.findByText('a1 a2 b1 b2');
  read.mockClear();
  read.mockRejectedValueOnce(new Error('Not now.'));
  await client.invalidateQueries({ queryKey: key });
  expect(await screen.findByRole('alert')).toHaveTextContent('Not now.');
  expect(screen.getByText('a1 a2 b1 b2')).toBeInTheDocument();
  await user.click(await again());
  await more();
  expect(read.mock.calls.map(([at]) => at)).toEqual([{}, {}, { cursor: 'b' }]);
  dropLaterPages(client, key);
  expect(await screen.findByText('a1 a2')).toBeInTheDocument();
});

test('the next page waits while the list is read again, by the cursor that this brings', async () => {
  const read = vi.fn(answer);
  const { user, client, key } = show(read);
  await more();
  let bring: (answer: Answer<string[]>) => void = () => undefined;
  read.mockReturnValueOnce(new Promise((resolve) => (bring = resolve)));
  void client.invalidateQueries({ queryKey: key });
  await user.click(await more());
  expect(read).toHaveBeenCalledTimes(2);
  bring(page('new', 'c'));
  expect(await screen.findByText('new1 new2 c1 c2')).toBeInTheDocument();
  expect(read.mock.calls.map(([at]) => at)).toEqual([{}, {}, { cursor: 'c' }]);
});

test('a request that nothing waits for any more is ended', async () => {
  let ended: AbortSignal | undefined;
  const { client, key } = show((_, signal) => {
    ended = signal;
    return new Promise<never>(() => undefined);
  });
  await vi.waitFor(() => expect(ended).toBeDefined());
  await client.cancelQueries({ queryKey: key });
  expect(ended?.aborted).toBe(true);
});
