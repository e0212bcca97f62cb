import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { Rows } from './rows';
import { Empty, ErrorBox, Skeleton } from './states';
import type { Column } from './table';
import { Button } from '../ui/button';
import type { Answer } from '@/lib/api/client';

interface Props<Row> {
  readonly caption: string;
  readonly query: UseInfiniteQueryResult<InfiniteData<Answer<Row[]>>>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly none: string;
}

/** A list that is read page by page. */
export function PagedTable<Row>({ caption, query, columns, rowKey, none }: Props<Row>) {
  if (query.error && !query.data) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton className="h-56" />;
  const rows = query.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <Empty>{none}</Empty>;
  return (
    <>
      {query.error && <ErrorBox className="mb-3" error={query.error} onRetry={() => void query.refetch()} />}
      <Rows caption={caption} columns={columns} rows={rows} rowKey={rowKey} />
      {query.hasNextPage && (
        <Button className="mt-3 self-start" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}
