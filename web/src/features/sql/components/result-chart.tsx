import { Pin } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Empty, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import type { SqlResult } from '../api/queries';
import { drawing, isTime, labelOf, MAX_POINTS, MAX_SERIES, numbersOf } from '../lib/values';

const QueryChart = lazy(() =>
  import('@/components/charts/query-chart').then((module) => ({ default: module.QueryChart })),
);

export interface ChosenChart {
  readonly kind: 'line' | 'bar';
  readonly x: string;
  /** Empty: all numbers. */
  readonly y: readonly string[];
}

interface Props {
  readonly result: SqlResult;
  /** What pins the chart; a text: why it cannot be pinned. */
  readonly pin?: ((chart: ChosenChart) => void) | string;
}

export function ResultChart({ result, pin }: Props) {
  const numbers = numbersOf(result);
  const label = labelOf(result);
  const [kind, setKind] = useState<'line' | 'bar'>(isTime(result.columns[label]?.type ?? '') ? 'line' : 'bar');
  const [x, setX] = useState(label);
  const [y, setY] = useState('all');
  const chosen = (y === 'all' ? numbers : [Number(y)]).filter((index) => index !== x).slice(0, MAX_SERIES);
  const drawn = drawing(result, x, chosen);
  return (
    <div>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select
          label="Kind of chart"
          value={kind}
          onChange={(event) => setKind(event.target.value === 'line' ? 'line' : 'bar')}
        >
          <option value="line">Line</option>
          <option value="bar">Bars</option>
        </Select>
        <Select label="X axis" value={x} onChange={(event) => setX(Number(event.target.value))}>
          {result.columns.map((column, index) => (
            <option key={index} value={index}>
              {column.name}
            </option>
          ))}
        </Select>
        <Select label="Y axis" value={y} onChange={(event) => setY(event.target.value)}>
          <option value="all">All numbers</option>
          {numbers.map((index) => (
            <option key={index} value={index}>
              {result.columns[index]?.name}
            </option>
          ))}
        </Select>
        {drawn && typeof pin === 'function' && (
          <Button
            onClick={() => {
              const name = (index: number) => result.columns[index]?.name ?? '';
              pin({ kind, x: name(x), y: y === 'all' ? [] : [name(Number(y))] });
            }}
          >
            <Pin aria-hidden className="size-3.5" />
            Pin to dashboard
          </Button>
        )}
      </div>
      {drawn && typeof pin === 'string' && <p className="mb-3 text-[0.8125rem] text-muted">{pin}</p>}
      {drawn ? (
        <>
          <div className="h-80">
            <Boundary fallback={<Empty>The chart could not be loaded.</Empty>}>
              <Suspense fallback={<Skeleton className="h-full" />}>
                <QueryChart
                  kind={kind}
                  series={drawn.series}
                  points={drawn.points}
                  name={`${drawn.series.join(', ')} by ${drawn.x}`}
                />
              </Suspense>
            </Boundary>
          </div>
          {result.rows.length > MAX_POINTS && (
            <p className="mt-2 text-muted">{`The chart shows the first ${MAX_POINTS} rows.`}</p>
          )}
        </>
      ) : (
        <Empty>A chart needs a numeric column and a category or time column.</Empty>
      )}
    </div>
  );
}
