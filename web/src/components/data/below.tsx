import { startTransition, Suspense, useEffect, useState, type ReactNode } from 'react';
import { whenIdle } from '@/lib/browser/idle';
import { cx } from '@/lib/cx';
import { surface } from '../ui/card';
import { useVisible } from '../ui/use-visible';
import { Boundary } from './boundary';
import { ErrorBox } from './states';

interface Props {
  /** The first view is there: what is below it may be drawn. */
  readonly now: boolean;
  readonly height?: string;
  readonly children: ReactNode;
}

const FAILED = new Error('This part could not be loaded. Please reload the page.');

/** A card below the first view, with a placeholder of its size. It is drawn when it comes near the view, else one after the
 *  other while the page is idle: the keyboard, a search in the page and the printer reach it as well. */
export function Below({ now, height = 'min-h-[34rem]', children }: Props) {
  const [place, near] = useVisible<HTMLDivElement>('300px');
  const [drawn, setDrawn] = useState(false);
  const waits = now && !near && !drawn;
  useEffect(() => (waits ? whenIdle(() => startTransition(() => setDrawn(true))) : undefined), [waits]);
  if (!near && !drawn) return <div ref={place} aria-hidden data-below className={cx(surface, height)} />;
  return (
    <Boundary fallback={<ErrorBox error={FAILED} />}>
      <Suspense fallback={<div aria-hidden className={cx(surface, height)} />}>{children}</Suspense>
    </Boundary>
  );
}
