import { lazy, Suspense } from 'react';
import { Boundary } from '@/components/data/boundary';
import { isAnalyst, useSession } from '@/lib/session';

const PinnedCharts = lazy(() =>
  import('@/features/sql/components/pinned-charts').then((module) => ({ default: module.PinnedCharts })),
);

/** Of analysts: charts of their queries, below all else, so that nothing moves when they come. */
export function Pinned() {
  const user = useSession()?.user;
  if (!isAnalyst(user)) return null;
  return (
    <Boundary fallback={null}>
      <Suspense fallback={null}>
        <PinnedCharts />
      </Suspense>
    </Boundary>
  );
}
