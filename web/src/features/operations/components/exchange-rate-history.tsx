import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { Table } from '@/components/data/table';
import { Dialog } from '@/components/ui/dialog';
import { browserTimezone, formatDay, formatZoned } from '@/lib/dates';
import { historyQuery, type NewestRate } from '../api/exchange-rates';
import { SOURCES } from '../lib/exchange-rates';

interface Props {
  readonly base: string;
  readonly quote: string;
  readonly onClose: () => void;
}

const WIDTH = 480;
const HEIGHT = 96;
const EDGE = 4;

/** The rates of one pair, newest first. */
export function ExchangeRateHistory({ base, quote, onClose }: Props) {
  const history = useQuery(historyQuery(base, quote));
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(shown) => !shown && onClose()}
      title={`${base} → ${quote}`}
      description={`What one ${base} was worth in ${quote}`}
    >
      {history.error ? (
        <ErrorBox error={history.error} onRetry={() => void history.refetch()} />
      ) : !history.data ? (
        <Loading label="Loading the history" />
      ) : history.data.length === 0 ? (
        <p className="text-muted">No rates of this pair are recorded.</p>
      ) : (
        <div className="flex flex-col gap-4">
          <Line rates={history.data} />
          <Table
            caption={`History of ${base} to ${quote}`}
            rows={history.data}
            rowKey={(row) => row.on}
            maxHeight="max-h-[28rem]"
            columns={[
              { id: 'on', header: 'From day', className: 'whitespace-nowrap', cell: (row) => formatDay(row.on) },
              { id: 'rate', header: 'Rate', numeric: true, cell: (row) => row.rate },
              { id: 'source', header: 'Source', cell: (row) => SOURCES[row.source] ?? row.source },
              {
                id: 'recorded',
                header: 'Recorded',
                cell: (row) => formatZoned(row.recordedAt, browserTimezone()),
              },
            ]}
          />
        </div>
      )}
    </Dialog>
  );
}

/** From the lowest to the highest rate: a line from zero would be flat. The table has its values. */
function Line({ rates }: { readonly rates: readonly NewestRate[] }) {
  if (rates.length < 2) return null;
  const points = [...rates].reverse().map((one) => ({ at: Date.parse(one.on), value: Number(one.rate) }));
  const values = points.map((point) => point.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const x = (at: number) => EDGE + ((at - first) / (last - first || 1)) * (WIDTH - 2 * EDGE);
  const y = (value: number) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  return (
    <figure className="m-0">
      <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-24 w-full text-brand" preserveAspectRatio="none">
        <polyline
          points={points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ')}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
        />
      </svg>
      <figcaption className="text-[0.8125rem] text-muted tabular">{`Lowest ${low}, highest ${high}`}</figcaption>
    </figure>
  );
}
