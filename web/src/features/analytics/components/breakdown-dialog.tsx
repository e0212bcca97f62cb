import { ArrowDown, ArrowUp, Columns3, Download, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Button, buttonClass } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Select } from '@/components/ui/field';
import { Popover } from '@/components/ui/popover';
import { SearchField } from '@/components/ui/search-field';
import { Check } from '@/components/ui/check';
import type { Website } from '@/lib/api/types';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { change, describeChange } from '../lib/compare';
import { hasSameLength } from '../lib/comparison';
import { comparisonParams } from '../lib/ranges';
import { cx } from '@/lib/cx';
import { countOf } from '@/lib/format';
import { breakdownPagesQuery, byText, csvAddress, type BreakdownParams, type BreakdownRow } from '../api/breakdown';
import type { AnalyticsParams } from '../api/analytics';
import { useColumns } from '../hooks/use-layout';
import { deeper } from '../lib/breakdown-groups';
import { dimensionName, isUnset, valueName, type Named } from '../lib/dimensions';
import { eventsOf, type EventsRequest } from '../lib/events';
import { filterLabel } from '../lib/filter-label';
import { goodWhen, meaningOf, METRICS, metricName, metricText, shortName, type Metric } from '../lib/metrics';
import {
  DIMENSIONS,
  withFilter,
  withoutFilter,
  type AnalyticsState,
  type Comparison,
  type Details,
  type Dimension,
  type Filter,
} from '../lib/search';
import { named as nameOfValue } from '../lib/values';

const CHOICES = DIMENSIONS.filter((dimension) => dimension !== 'reason');

interface Props {
  readonly website: Website;
  readonly details: Details;
  readonly state: AnalyticsState;
  readonly params: AnalyticsParams;
  readonly named: Named;
  readonly metric: Metric;
  readonly onChange: (state: AnalyticsState) => void;
  readonly onEvents: (request: Pick<EventsRequest, 'title' | 'of'>, filters: readonly Filter[]) => void;
}

/** All rows of one or two dimensions with every metric: sorted, searched, page by page, and as a file. */
export function BreakdownDialog({ website, details, state, params, named, metric, onChange, onEvents }: Props) {
  const [columns, setColumns] = useColumns(website.id);
  const [sort, setSort] = useState<Sort>({ metric, descending: true });
  const [search, setSearch] = useState('');
  const searched = useDeferredValue(search.trim());
  const request: BreakdownParams = {
    ...params,
    by: byText(details),
    ...comparisonParams(state),
    metrics: [...new Set([...columns, sort.metric])].join(','),
    sort: `${sort.descending ? '-' : ''}${sort.metric}`,
    ...(searched ? { search: searched } : {}),
  };
  const query = useCursorQuery(breakdownPagesQuery(request));
  const rows = query.rows ?? [];
  const { totals, currency = 'USD', range, costSpread = [] } = query.first?.report ?? {};
  const show = (next: Details) => onChange({ ...state, details: next });
  const drill = (row: BreakdownRow) => {
    const [dimension] = details;
    const value = row.values[dimension] ?? '';
    setSearch('');
    onChange({
      ...withFilter(state, { dimension, operator: 'is', values: [nameOfValue(value)] }),
      details: deeper(details),
    });
  };
  const view = (row: BreakdownRow, of: Metric) => {
    const filters = details.map((dimension): Filter => {
      return { dimension, operator: 'is', values: [nameOfValue(row.values[dimension] ?? '')] };
    });
    const title = `${metricName(of)}, ${isTotal(row) ? 'total' : row.label}`;
    onEvents({ title, of: eventsOf(of) }, isTotal(row) ? [] : filters);
  };
  return (
    <Dialog
      open
      as="wide"
      onOpenChange={(open) => !open && onChange({ ...state, details: null })}
      title={details.map(dimensionName).join(' and ')}
      description="Click a value to filter by it and look deeper, and a number to see its events."
    >
      <div className="mb-3 flex flex-wrap items-center gap-2 max-sm:grid max-sm:grid-cols-2">
        <DimensionSelect
          label="Dimension"
          value={details[0]}
          onChange={(first) => show(withSecond(first, details[1]))}
        />
        <DimensionSelect
          label="Second dimension"
          value={details[1] ?? ''}
          none="No second dimension"
          without={details[0]}
          onChange={(second) => show(second ? [details[0], second] : [details[0]])}
        />
        <SearchField label="Search values" value={search} onChange={setSearch} />
        <span className="ml-auto flex gap-2 max-sm:col-span-2 max-sm:ml-0">
          <ColumnChooser columns={columns} onChange={setColumns} />
          <a className={buttonClass({ size: 'sm' })} href={csvAddress(request)} download>
            <Download aria-hidden className="size-3.5" />
            CSV
          </a>
        </span>
      </div>
      {state.filters.length > 0 && (
        <ul role="list" aria-label="Filters in force" className="mb-3 flex flex-wrap gap-2">
          {state.filters.map((filter) => (
            <li key={filter.dimension}>
              <button
                type="button"
                className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-lg border border-brand/30 bg-brand-soft px-2.5 text-[0.8125rem]"
                onClick={() => onChange(withoutFilter(state, filter.dimension))}
              >
                <span className="sr-only">Remove filter </span>
                {filterLabel(filter, named)}
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {query.error && <ErrorBox className="mb-3" error={query.error} prefix="Could not load" onRetry={query.retry} />}
      {!query.rows ? (
        !query.error && (
          <div role="status" aria-label="Loading rows">
            <Skeleton className="h-96" />
          </div>
        )
      ) : rows.length === 0 ? (
        <Empty className="min-h-64">{searched ? 'No value matches your search.' : 'No data in this period.'}</Empty>
      ) : (
        <div className={cx(query.isPlaceholder && 'opacity-60')} aria-busy={query.isPlaceholder}>
          <Table
            caption={`${details.map(dimensionName).join(' and ')} table`}
            rows={totals ? [{ ...totals, values: {}, label: '', labels: {}, previous: null }, ...rows] : rows}
            rowKey={(row) => (isTotal(row) ? 'total' : details.map((name) => row.values[name] ?? '').join('\u0000'))}
            columns={tableColumns({
              details,
              columns,
              currency,
              named,
              sort,
              compare: hasSameLength(range, state) ? state.compare : 'none',
              setSort,
              drill,
              view,
            })}
          />
          <p className="mt-2 text-[0.8125rem] text-muted">
            {countOf(rows.length, 'row')} shown{query.hasNext ? '' : ', all rows loaded'}
            {costSpread.length > 0 && ', costs spread evenly'}
          </p>
          <More of={query} className="mt-2" />
        </div>
      )}
    </Dialog>
  );
}

interface Sort {
  readonly metric: Metric;
  readonly descending: boolean;
}

const isTotal = (row: BreakdownRow): boolean => Object.keys(row.values).length === 0;

const withSecond = (first: Dimension | null, second: Dimension | undefined): Details =>
  second && first && second !== first ? [first, second] : [first ?? 'page'];

interface TableProps {
  readonly details: Details;
  readonly columns: readonly Metric[];
  readonly currency: string;
  readonly named: Named;
  readonly sort: Sort;
  readonly compare: Comparison;
  readonly setSort: (sort: Sort) => void;
  readonly drill: (row: BreakdownRow) => void;
  readonly view: (row: BreakdownRow, metric: Metric) => void;
}

function tableColumns(props: TableProps): Column<BreakdownRow>[] {
  const { details, columns, currency, named, sort, compare, setSort, drill, view } = props;
  const ofValues = details.map((dimension, place): Column<BreakdownRow> => {
    const nameOf = (row: BreakdownRow) =>
      valueName(dimension, row.values[dimension] ?? '', named, details.length === 1 ? row.label : undefined);
    return {
      id: dimension,
      header: dimensionName(dimension),
      className: cx('max-w-80 min-w-36 break-words', place === 0 && 'sticky left-0 bg-raised'),
      cell: (row) =>
        isTotal(row) ? (
          place === 0 && <strong className="font-semibold">Total</strong>
        ) : place === 0 ? (
          <button
            type="button"
            className={cx(
              'min-h-6 max-w-full rounded text-left break-words hover:underline',
              isUnset(dimension, row.values[dimension] ?? '') ? 'text-muted' : 'font-medium text-brand',
            )}
            onClick={() => drill(row)}
          >
            {nameOf(row)}
          </button>
        ) : (
          nameOf(row)
        ),
    };
  });
  const ofMetrics = columns.map((metric): Column<BreakdownRow> => ({
    id: metric,
    numeric: true,
    label: metricName(metric),
    sorted: sort.metric !== metric ? 'none' : sort.descending ? 'descending' : 'ascending',
    header: (
      <SortButton
        metric={metric}
        sort={sort}
        onSort={() => setSort({ metric, descending: sort.metric !== metric || !sort.descending })}
      />
    ),
    cell: (row) => (
      <>
        <button
          type="button"
          title="View events"
          className={cx('min-h-6 rounded tabular hover:underline', isTotal(row) && 'font-semibold')}
          onClick={() => view(row, metric)}
        >
          {metricText(metric, row[metric], currency)}
        </button>
        {compare !== 'none' && !isTotal(row) && <RowDelta row={row} metric={metric} />}
      </>
    ),
  }));
  return [...ofValues, ...ofMetrics];
}

/** A change that would read 0.0 % is none. */
const SMALLEST_SHOWN = 0.05;

/** The change against the compared period; nothing where both are zero or there was none. */
function RowDelta({ row, metric }: { readonly row: BreakdownRow; readonly metric: Metric }) {
  const before = row.previous?.[metric];
  const now = row[metric];
  if (before === null || before === undefined || now === null || now === undefined || (before === 0 && now === 0))
    return null;
  const result = change(now, before, goodWhen(metric));
  if (result.percent !== null && Math.abs(result.percent) < SMALLEST_SHOWN) return null;
  const color = { good: 'text-good', bad: 'text-bad', neutral: 'text-muted' }[result.meaning];
  return <span className={cx('block text-xs', color)}>{describeChange(result)}</span>;
}

function SortButton({
  metric,
  sort,
  onSort,
}: {
  readonly metric: Metric;
  readonly sort: Sort;
  readonly onSort: () => void;
}) {
  const Icon = sort.descending ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      title={meaningOf(metric) ?? metricName(metric)}
      className="inline-flex min-h-6 items-center gap-1 rounded hover:text-text"
      onClick={onSort}
    >
      {sort.metric === metric && <Icon aria-hidden className="size-3" />}
      <span aria-hidden>{shortName(metric)}</span>
      <span className="sr-only">{metricName(metric)}</span>
    </button>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: Dimension | '';
  readonly none?: string;
  readonly without?: Dimension;
  readonly onChange: (dimension: Dimension | null) => void;
}

function DimensionSelect({ label, value, none, without, onChange }: SelectProps) {
  return (
    <Select
      label={label}
      className="h-8 text-[0.8125rem] max-sm:h-10"
      value={value}
      onChange={(event) => onChange(event.target.value === '' ? null : (event.target.value as Dimension))}
    >
      {none && <option value="">{none}</option>}
      {CHOICES.filter((dimension) => dimension !== without).map((dimension) => (
        <option key={dimension} value={dimension}>
          {dimensionName(dimension)}
        </option>
      ))}
    </Select>
  );
}

interface ChooserProps {
  readonly columns: readonly Metric[];
  readonly onChange: (columns: readonly Metric[]) => void;
}

function ColumnChooser({ columns, onChange }: ChooserProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Columns"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm">
          <Columns3 aria-hidden className="size-3.5" />
          {columns.length < METRICS.length ? `Columns (${columns.length} of ${METRICS.length})` : 'Columns'}
        </Button>
      }
    >
      <fieldset>
        <legend className="mb-2 font-medium">Columns</legend>
        {METRICS.map((metric) => (
          <Check
            key={metric}
            className="min-h-8"
            label={metricName(metric)}
            checked={columns.includes(metric)}
            disabled={columns.length === 1 && columns.includes(metric)}
            onChange={(on) => onChange(METRICS.filter((item) => (item === metric ? on : columns.includes(item))))}
          />
        ))}
      </fieldset>
    </Popover>
  );
}
