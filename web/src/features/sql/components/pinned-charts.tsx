// The charts of saved queries on a person's dashboard. Each is read when it comes into view.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { PinOff, RefreshCw } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { Boundary } from '@/components/data/boundary';
import { KeptFrom } from '@/components/data/kept-from';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useVisible } from '@/components/ui/use-visible';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { toastWith } from '@/stores/toasts';
import {
  pinAgain,
  pinnedResultQuery,
  pinsQuery,
  refreshPinned,
  unpinChart,
  type PinnedChart,
  type SqlResult,
} from '../api/queries';
import { searchOf } from '../lib/address';
import { drawing, labelOf, MAX_SERIES, numbersOf } from '../lib/values';
import { ResultTable } from './result-table';

const QueryChart = lazy(() =>
  import('@/components/charts/query-chart').then((module) => ({ default: module.QueryChart })),
);
const UNDO_MS = 10_000;

export function PinnedCharts() {
  const pins = useQuery(pinsQuery);
  if (pins.error) return <ErrorBox error={pins.error} prefix="Error loading pinned charts" />;
  if (!pins.data || pins.data.length === 0) return null;
  return (
    <section aria-label="Pinned charts" className="grid gap-4 sm:gap-5 xl:grid-cols-2">
      {pins.data.map((pin) => (
        <PinnedCard key={pin.id} pin={pin} />
      ))}
    </section>
  );
}

function PinnedCard({ pin }: { readonly pin: PinnedChart }) {
  const client = useQueryClient();
  const [card, isVisible] = useVisible<HTMLDivElement>();
  const isThere = pin.title !== null;
  // The cards come after the page: the router has looked for the address's part by then.
  const anchor = `pin-${pin.id}`;
  const isWanted = useLocation({ select: ({ hash }) => hash === anchor });
  useEffect(() => {
    if (isWanted) card.current?.scrollIntoView({ block: 'center' });
  }, [isWanted, card]);
  const options = pinnedResultQuery(pin.id);
  const read = useQuery({ ...options, enabled: isVisible && isThere });
  const refresh = useCommand(refreshPinned, {
    onSuccess: (result) => client.setQueryData(options.queryKey, result),
  });
  const unpin = useUnpin();
  const asOf = read.data?.asOf;
  return (
    <div ref={card} id={anchor} className="min-w-0">
      <Card
        title={pin.title ?? 'Query not available'}
        description={asOf ? `As of ${formatZoned(asOf.toISOString(), browserTimezone())}` : 'Query of your SQL page'}
        className="h-full"
        actions={
          <>
            {isThere && (
              <>
                <Link
                  to="/sql"
                  search={searchOf({ query: pin.queryId, sql: null, values: pin.parameters })}
                  className="rounded px-1 text-[0.8125rem] font-medium text-brand hover:underline"
                >
                  Open query
                </Link>
                <Button
                  size="icon"
                  variant="ghost"
                  aria-label={`Refresh ${pin.title}`}
                  busy={refresh.isPending}
                  onClick={() => refresh.mutate(pin.id)}
                >
                  <RefreshCw aria-hidden className="size-4" />
                </Button>
              </>
            )}
            <Button
              size="icon"
              variant="ghost"
              aria-label={`Unpin ${pin.title ?? 'the query'}`}
              onClick={() => unpin.mutate(pin)}
            >
              <PinOff aria-hidden className="size-4" />
            </Button>
          </>
        }
      >
        <div className="h-64">
          {!isThere ? (
            <Empty>This query was deleted, or is no longer shared with you.</Empty>
          ) : read.error && !read.data ? (
            <ErrorBox error={read.error} onRetry={() => void read.refetch()} />
          ) : !read.data ? (
            <div role="status" aria-label={`Loading ${pin.title}`} className="h-full">
              <Skeleton className="h-full" />
            </div>
          ) : (
            <Drawn pin={pin} result={read.data.result} />
          )}
        </div>
        <KeptFrom day={read.data?.keptFrom} of="account" className="mt-3" />
      </Card>
    </div>
  );
}

function Drawn({ pin, result }: { readonly pin: PinnedChart; readonly result: SqlResult }) {
  if (result.rows.length === 0) return <Empty>No rows.</Empty>;
  const at = (name: string) => result.columns.findIndex((column) => column.name === name);
  const x = at(pin.x) < 0 ? labelOf(result) : at(pin.x);
  const numbers = numbersOf(result);
  const chosen = pin.y.map(at).filter((index) => index >= 0);
  const y = (chosen.length > 0 ? chosen : numbers).filter((index) => index !== x).slice(0, MAX_SERIES);
  const drawn = drawing(result, x, y);
  if (!drawn || pin.kind === 'table') return <ResultTable result={result} height={256} />;
  return (
    <Boundary fallback={<Empty>The chart could not be loaded.</Empty>}>
      <Suspense fallback={<Skeleton className="h-full" />}>
        <QueryChart
          kind={pin.kind}
          series={drawn.series}
          points={drawn.points}
          name={`${pin.title}: ${drawn.series.join(', ')} by ${drawn.x}`}
        />
      </Suspense>
    </Boundary>
  );
}

function useUnpin() {
  const restore = useCommand(pinAgain);
  return useCommand(unpinChart, {
    onSuccess: (_, pin) => {
      if (pin.title === null) return;
      toastWith('Chart unpinned', pin.title, { label: 'Undo', run: () => restore.mutate(pin) }, UNDO_MS);
    },
  });
}
