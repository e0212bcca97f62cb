import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { cx } from '@/lib/cx';

interface Props {
  readonly label: string;
  /** How many points there are, and which one is named; null: none. */
  readonly count: number;
  readonly active: number | null;
  readonly onActive: (index: number | null) => void;
  /** The text of a point, as a tooltip says it. */
  readonly textOf: (index: number) => string;
  /** The point under the pointer, from its place in the element: 0 to 1 across and down. */
  readonly pointAt: (across: number, down: number) => number | null;
  /** How far the up and down keys go; 0: as far as left and right. */
  readonly rowLength?: number;
  readonly onChoose?: (index: number) => void;
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/**
 * A drawing whose points are named by pointer, touch and keyboard alike. For assistive technology it is a slider over
 * its points: arrow keys, Home and End move, Enter chooses, Escape leaves.
 */
export function PointPicker({
  label,
  count,
  active,
  onActive,
  textOf,
  pointAt,
  rowLength = 0,
  onChoose,
  className,
  style,
  children,
}: Props) {
  const at = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return pointAt((event.clientX - box.left) / (box.width || 1), (event.clientY - box.top) / (box.height || 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && active !== null) {
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      return onActive(null);
    }
    if (event.key === 'Enter' || event.key === ' ') {
      if (active === null) return;
      event.preventDefault();
      return onChoose?.(active);
    }
    const next = moved(event.key, active, count, rowLength || 1);
    if (next === null) return;
    event.preventDefault();
    onActive(next);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={count === 0 ? 0 : 1}
      aria-valuemax={count}
      aria-valuenow={active === null ? count : active + 1}
      aria-valuetext={count === 0 ? 'No data' : textOf(active ?? count - 1)}
      className={cx('relative touch-pan-y rounded-md select-none', onChoose && 'cursor-pointer', className)}
      style={style}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => onActive(at(event))}
      onPointerDown={(event) => onActive(at(event))}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse') onActive(null);
      }}
      onBlur={() => onActive(null)}
      onClick={(event) => {
        // A tap names a point first: only one that is named already is chosen by it.
        if (active !== null && onChoose && event.detail > 0) onChoose(active);
      }}
    >
      {children}
    </div>
  );
}

function moved(key: string, active: number | null, count: number, rowLength: number): number | null {
  if (count === 0) return null;
  const from = active ?? count;
  const steps: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: rowLength,
    ArrowUp: -rowLength,
    PageUp: 7 * rowLength,
    PageDown: -7 * rowLength,
  };
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = steps[key];
  if (step === undefined) return null;
  const next = from + step;
  return next < 0 || next >= count ? (active === null ? count - 1 : active) : next;
}
