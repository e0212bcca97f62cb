// The frame of every chart: states, table view and CSV download.
import { ChartNoAxesColumn, Download, Table2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { download, toCsv, type Cell } from '@/lib/files/csv';
import { cx } from '@/lib/cx';
import { Empty, ErrorBox, Skeleton } from '../data/states';
import { Table, type Column } from '../data/table';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import { Tooltip } from '../ui/tooltip';
import { usePageFailure } from './page-failure';

export interface ChartColumn<Row> extends Column<Row> {
  readonly name: string;
  readonly value: (row: Row) => Cell;
}

interface Props<Row> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly controls?: ReactNode;
  readonly query: {
    readonly data: unknown;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row, index: number) => string;
  readonly columns: readonly ChartColumn<Row>[];
  readonly file: string;
  readonly emptyText: string;
  readonly isEmpty: boolean;
  /** Classes that set the chart's height; the skeleton uses the same. */
  readonly frame: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function ChartCard<Row>(props: Props<Row>) {
  const { title, query, rows, columns, isEmpty } = props;
  const [asTable, setAsTable] = useState(false);
  const ready = query.data !== undefined;
  const told = usePageFailure();
  const save = () =>
    download(
      `${props.file}.csv`,
      toCsv(
        columns.map((column) => column.name),
        rows.map((row) => columns.map((column) => column.value(row))),
      ),
    );
  const swap = asTable ? `Show ${title} as chart` : `Show ${title} as table`;
  return (
    <Card
      title={title}
      description={props.description}
      {...(props.className ? { className: props.className } : {})}
      actions={
        <>
          {props.controls}
          <Tooltip text={swap}>
            <Button variant="ghost" size="icon" aria-label={swap} onClick={() => setAsTable(!asTable)}>
              {asTable ? (
                <ChartNoAxesColumn aria-hidden className="size-4" />
              ) : (
                <Table2 aria-hidden className="size-4" />
              )}
            </Button>
          </Tooltip>
          <Tooltip text="Download CSV">
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Download ${title} as CSV`}
              onClick={save}
              disabled={!ready || isEmpty}
            >
              <Download aria-hidden className="size-4" />
            </Button>
          </Tooltip>
        </>
      }
    >
      <div className="flex flex-1 flex-col justify-center">
        {query.error && !ready && told ? (
          <Empty className="min-h-40">Not available right now.</Empty>
        ) : query.error && !ready ? (
          <ErrorBox error={query.error} prefix={`Error loading ${title}`} onRetry={() => void query.refetch()} />
        ) : !ready ? (
          <div role="status" aria-label={`Loading ${title}`}>
            <Skeleton className={props.frame} />
          </div>
        ) : isEmpty ? (
          <Empty className={cx('min-h-40')}>{props.emptyText}</Empty>
        ) : asTable ? (
          <Table caption={`${title} table`} columns={columns} rows={rows} rowKey={props.rowKey} maxHeight="max-h-96" />
        ) : (
          props.children
        )}
      </div>
    </Card>
  );
}
