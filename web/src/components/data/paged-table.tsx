import { More } from './more';
import { Rows } from './rows';
import { Empty, ErrorBox, Skeleton } from './states';
import type { Column } from './table';
import type { CursorList } from '@/lib/api/cursor-query';

interface Props<Row> {
  readonly caption: string;
  readonly query: CursorList<Row>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly none: string;
}

/** A list that is read page by page. */
export function PagedTable<Row>({ caption, query, columns, rowKey, none }: Props<Row>) {
  const { rows } = query;
  if (query.error) return <ErrorBox error={query.error} onRetry={query.retry} />;
  if (!rows) return <Skeleton className="h-56" />;
  if (rows.length === 0) return <Empty>{none}</Empty>;
  return (
    <>
      <Rows caption={caption} columns={columns} rows={rows} rowKey={rowKey} />
      <More of={query} />
    </>
  );
}
