// recharts is the heaviest part of the app: it is fetched only by pages with charts, and drawn when near the view.
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { Skeleton } from '../data/states';

const load = () => import('./charts');

export const TrendChart = lazy(() => load().then((module) => ({ default: module.TrendChart })));
export const PartnerChart = lazy(() => load().then((module) => ({ default: module.PartnerChart })));
export const Donut = lazy(() => load().then((module) => ({ default: module.Donut })));

export function ChartSpace({ className, children }: { readonly className: string; readonly children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!frame.current || near) return;
    const show = () => setNear(true);
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && show(), { rootMargin: '300px' });
    observer.observe(frame.current);
    window.addEventListener('beforeprint', show);
    return () => {
      observer.disconnect();
      window.removeEventListener('beforeprint', show);
    };
  }, [near]);
  return (
    <div ref={frame} className={cx('w-full min-w-0', className)}>
      {near ? <Suspense fallback={<Skeleton className="h-full" />}>{children}</Suspense> : <Skeleton className="h-full" />}
    </div>
  );
}
