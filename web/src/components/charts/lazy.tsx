// recharts is the heaviest part of the app: it is fetched only by pages with charts, and drawn when near the view. Not by
// React's lazy(): that shows all charts in one long task, once the last of them could be shown. Here each has its own.
import { createElement, useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { inOwnTask } from '@/lib/browser/idle';
import { Boundary } from '../data/boundary';
import { ErrorBox, Skeleton } from '../data/states';

type Charts = typeof import('./charts');
let charts: Charts | null = null;

async function load(): Promise<void> {
  charts ??= await import('./charts');
}

/** Rendered inside a ChartSpace, which waits for the drawing code. */
export const TrendChart = late((module) => module.TrendChart);
export const PartnerChart = late((module) => module.PartnerChart);
export const Donut = late((module) => module.Donut);

function late<Props extends object>(pick: (module: Charts) => ComponentType<Props>) {
  return function Late(props: Props) {
    return charts ? createElement(pick(charts), props) : null;
  };
}

const FAILED = new Error('The chart could not be loaded. You can show its data as a table.');

export function ChartSpace({ className, children }: { readonly className: string; readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'waiting' | 'shown' | 'failed'>('waiting');
  useEffect(() => {
    if (!frame.current || state !== 'waiting') return;
    let wanted = true;
    let leave = () => {};
    const show = () => setState('shown');
    const fetchAndShow = () =>
      load().then(
        () => {
          if (wanted) leave = inOwnTask(show);
        },
        () => {
          if (wanted) setState('failed');
        },
      );
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        void fetchAndShow();
      },
      { rootMargin: '300px' },
    );
    observer.observe(frame.current);
    window.addEventListener('beforeprint', fetchAndShow);
    return () => {
      wanted = false;
      leave();
      observer.disconnect();
      window.removeEventListener('beforeprint', fetchAndShow);
    };
  }, [state]);
  return (
    <div ref={frame} className={cx('w-full min-w-0', className)}>
      {state === 'shown' && <Boundary fallback={<ErrorBox error={FAILED} />}>{children}</Boundary>}
      {state === 'failed' && <ErrorBox error={FAILED} onRetry={() => setState('waiting')} />}
      {state === 'waiting' && <Skeleton className="h-full" />}
    </div>
  );
}
