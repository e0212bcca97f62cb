import { createContext, startTransition, Suspense, useContext, useEffect, useState, type ReactNode } from 'react';
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
  /** Its place in a grid. */
  readonly className?: string;
  readonly children: ReactNode;
}

const Near = createContext(true);

/** Whether the card has come near the view: before that it requests nothing. */
export const useNear = (): boolean => useContext(Near);

const FAILED = new Error('This part could not be loaded. Please reload the page.');

/** A card below the first view, with a placeholder of its size. It is drawn when it comes near the view, else one after the
 *  other while the page is idle: the keyboard, a search in the page and the printer reach it as well. What it requests
 *  (`useNear`) waits until it comes near. */
export function Below({ now, height = 'min-h-[34rem]', className, children }: Props) {
  const [place, near] = useVisible<HTMLDivElement>('300px');
  const [drawn, setDrawn] = useState(false);
  const waits = now && !near && !drawn;
  useEffect(() => (waits ? whenIdle(() => startTransition(() => setDrawn(true))) : undefined), [waits]);
  const blank = <div aria-hidden data-below="" className={cx(surface, height)} />;
  return (
    <div ref={place} className={cx('grid min-w-0', className)}>
      {near || drawn ? (
        <Near value={near}>
          <Boundary fallback={<ErrorBox error={FAILED} />}>
            <Suspense fallback={blank}>{children}</Suspense>
          </Boundary>
        </Near>
      ) : (
        blank
      )}
    </div>
  );
}
