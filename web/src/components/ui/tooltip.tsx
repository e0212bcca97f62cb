import { lazy, Suspense, useEffect, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { Boundary } from '../data/boundary';

const Bubble = lazy(() => import('./tooltip-bubble').then((module) => ({ default: module.TooltipBubble })));
const DELAY_MS = 700;

/** Labels an icon button on hover and focus; the button keeps its accessible name. The tooltip's code is loaded then. */
export function Tooltip({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const [shown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hide = () => {
    clearTimeout(timer.current);
    setShown(false);
  };
  const wait = ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'touch') timer.current = setTimeout(() => setShown(true), DELAY_MS);
  };
  return (
    <span
      role="presentation"
      className="relative inline-flex"
      onPointerEnter={wait}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={({ target }) => setShown(target.matches(':focus-visible'))}
      onBlur={hide}
    >
      {children}
      {shown && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <Bubble text={text} onClose={hide} />
          </Suspense>
        </Boundary>
      )}
    </span>
  );
}
