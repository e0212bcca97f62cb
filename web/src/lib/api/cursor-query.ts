// A list that is read page by page, each page by the cursor that the one before it sent. The query is a value in the folder `api`
// of its feature; screens read it with `useCursorQuery`, and end the list with `More`.
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Answer } from './client';

/** The place of a page in the query of its request: nothing for the first. */
export interface At {
  readonly cursor?: string;
}

type Pages<Page> = InfiniteData<Page, string>;
type Options<Page, Key extends QueryKey> = UseInfiniteQueryOptions<Page, Error, Pages<Page>, Key, string>;

interface Definition<Page, Key extends QueryKey> extends Pick<
  Options<Page, Key>,
  'gcTime' | 'placeholderData' | 'refetchInterval' | 'staleTime'
> {
  readonly queryKey: Key;
  /** `signal` ends the request when nothing shows the list any more, or another reading replaces it. */
  readonly read: (at: At, signal: AbortSignal) => Promise<Page>;
}

export const cursorQuery = <Page extends Answer<readonly unknown[]>, const Key extends QueryKey>({
  read,
  ...options
}: Definition<Page, Key>) =>
  infiniteQueryOptions<Page, Error, Pages<Page>, Key, string>({
    ...options,
    queryFn: ({ pageParam, signal }) => read(pageParam ? { cursor: pageParam } : {}, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

export interface CursorList<Row, Page = Answer<readonly Row[]>> {
  /** Of all pages that are read, in their order; undefined until the first is. */
  readonly rows: readonly Row[] | undefined;
  /** What its answer says stands for the list. */
  readonly first: Page | undefined;
  readonly isPending: boolean;
  /** Why there are no rows. */
  readonly error: Error | null;
  /** What failed while there are rows, which stay: the next page, or reading them again. */
  readonly laterError: Error | null;
  /** Sends again what failed. */
  readonly retry: () => void;
  readonly hasNext: boolean;
  readonly isLoadingNext: boolean;
  readonly loadNext: () => void;
  /** The rows are those of the query before, until this one is answered: nothing follows them. */
  readonly isPlaceholder: boolean;
  readonly isFetching: boolean;
  /** Milliseconds since 1970; 0 before the first answer. */
  readonly updatedAt: number;
}

/** Reading again reads as many pages as were read, from the first; the next page waits for that. */
export function useCursorQuery<Page extends Answer<readonly unknown[]>, Key extends QueryKey>(
  options: Options<Page, Key> & { readonly initialPageParam: string },
): CursorList<Page['data'][number], Page> {
  const query = useInfiniteQuery(options);
  const { data, error, fetchNextPage, refetch, isFetching, isFetchingNextPage, isPlaceholderData } = query;
  const rows = useMemo(() => data && rowsOf(data), [data]);
  const loadNext = () =>
    void (isFetching ? refetch({ cancelRefetch: false }) : Promise.resolve()).then(() =>
      fetchNextPage({ cancelRefetch: false }),
    );
  return {
    rows,
    first: data?.pages[0],
    isPending: query.isPending,
    error: rows ? null : error,
    laterError: rows ? error : null,
    retry: query.isFetchNextPageError ? loadNext : () => void refetch(),
    hasNext: query.hasNextPage && !isPlaceholderData,
    isLoadingNext: isFetchingNextPage,
    loadNext,
    isPlaceholder: isPlaceholderData,
    isFetching,
    updatedAt: query.dataUpdatedAt,
  };
}

export const rowsOf = <Row>({ pages }: { readonly pages: readonly { readonly data: readonly Row[] }[] }): Row[] =>
  pages.flatMap((page) => page.data);

/** Keeps the first page alone. */
export const dropLaterPages = (client: QueryClient, queryKey: QueryKey): void =>
  void client.setQueryData<Pages<unknown>>(
    queryKey,
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
