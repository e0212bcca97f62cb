// recharts is the heaviest part of the app: it is fetched only by pages with charts, and drawn when near the view.
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { Boundary } from '../data/boundary';
import { ErrorBox, Skeleton } from '../data/states';

const load = () => import('./charts');

const NOT_LOADED = new Error('The chart could not be loaded. Its figures can be shown as a table.');

/** Begins to fetch the drawing code while the figures are on their way. */
export function preloadCharts(): void {
  load().catch(() => undefined);
}

export const TrendChart = lazy(() => load().then((module) => ({ default: module.TrendChart })));
export const PartnerChart = lazy(() => load().then((module) => ({ default: module.PartnerChart })));
export const Donut = lazy(() => load().then((module) => ({ default: module.Donut })));

export function ChartSpace({ className, children }: { readonly className: string; readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!frame.current || near) return;
    const show = () => setNear(true);
    let cancel = () => {};
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        cancel = whenIdle(show);
      },
      { rootMargin: '300px' },
    );
    observer.observe(frame.current);
    window.addEventListener('beforeprint', show);
    return () => {
      cancel();
      observer.disconnect();
      window.removeEventListener('beforeprint', show);
    };
  }, [near]);
  return (
    <div ref={frame} className={cx('w-full min-w-0', className)}>
      {near ? (
        <Boundary fallback={<ErrorBox error={NOT_LOADED} onRetry={() => window.location.reload()} />}>
          <Suspense fallback={<Skeleton className="h-full" />}>{children}</Suspense>
        </Boundary>
      ) : (
        <Skeleton className="h-full" />
      )}
    </div>
  );
}

const waiting = new Set<() => void>();
let asked = false;

/** One chart at a time, each in an idle moment of its own: a key pressed in between is answered. */
function whenIdle(run: () => void): () => void {
  waiting.add(run);
  askForIdle();
  return () => void waiting.delete(run);
}

function askForIdle(): void {
  if (asked || waiting.size === 0) return;
  asked = true;
  const next = () => {
    asked = false;
    const [run] = waiting;
    if (run) {
      waiting.delete(run);
      run();
    }
    askForIdle();
  };
  if (typeof requestIdleCallback === 'function') requestIdleCallback(next, { timeout: 1000 });
  else setTimeout(next, 0);
}
