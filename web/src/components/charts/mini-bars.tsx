import { useState } from 'react';
import { formatCompact } from '@/lib/format';
import { axisTicks } from './axis';
import { PointPicker } from './point-picker';

export interface MiniBar {
  readonly key: string;
  /** All that the bar says, as its tooltip shows it. */
  readonly label: string;
  /** Its time on the axis. */
  readonly tick: string;
  readonly parts: readonly { readonly value: number; readonly color: string }[];
}

interface Props {
  readonly label: string;
  readonly bars: readonly MiniBar[];
  /** Sets the height of the bars. */
  readonly className?: string;
}

/** Below this number bars would be as wide as blocks. */
const FEW = 16;

/** Small stacked bars with their axes, in plain SVG: cheap enough to redraw every second. */
export function MiniBars({ label, bars, className }: Props) {
  const [active, setActive] = useState<number | null>(null);
  const totals = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0));
  const ceiling = axisTicks(Math.max(0, ...totals), 2, true).at(-1) || 1;
  const width = bars.length < FEW ? 4 : 7.5;
  const inset = (10 - width) / 2;
  const named = active !== null ? bars[active] : undefined;
  const middle = bars[Math.floor((bars.length - 1) / 2)];
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-muted tabular">
      <div aria-hidden className="flex flex-col justify-between text-right leading-none">
        <span>{formatCompact(ceiling)}</span>
        <span>0</span>
      </div>
      <PointPicker
        label={label}
        count={bars.length}
        active={named ? active : null}
        onActive={setActive}
        textOf={(index) => bars[index]?.label ?? ''}
        pointAt={(across) =>
          bars.length === 0 ? null : Math.min(bars.length - 1, Math.max(0, Math.floor(across * bars.length)))
        }
        {...(className ? { className } : {})}
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${Math.max(bars.length, 1) * 10} 100`}
          preserveAspectRatio="none"
          className="size-full"
        >
          <line x1={0} x2={bars.length * 10} y1={0.5} y2={0.5} stroke="var(--c-line)" />
          <line x1={0} x2={bars.length * 10} y1={99.5} y2={99.5} stroke="var(--c-line)" />
          {bars.map((bar, index) => {
            let top = 100;
            return (
              <g key={bar.key} opacity={named && index !== active ? 0.45 : 1}>
                {bar.parts.map((part) => {
                  const height = (part.value / ceiling) * 100;
                  top -= height;
                  return part.value > 0 ? (
                    <rect
                      key={part.color}
                      x={index * 10 + inset}
                      y={top}
                      width={width}
                      height={height}
                      fill={part.color}
                    />
                  ) : null;
                })}
              </g>
            );
          })}
        </svg>
        {named && active !== null && (
          <div
            aria-hidden
            className="pointer-events-none absolute bottom-full z-raised mb-1 w-max max-w-64 rounded-lg border border-line bg-raised px-2.5 py-1.5 text-[0.8125rem] text-text shadow-pop"
            style={
              active > bars.length / 2
                ? { right: `${100 - ((active + 1) / bars.length) * 100}%` }
                : { left: `${(active / bars.length) * 100}%` }
            }
          >
            {named.label}
          </div>
        )}
      </PointPicker>
      <span />
      <div aria-hidden className="mt-1 flex justify-between gap-2">
        <span>{bars[0]?.tick}</span>
        {bars.length > 2 && <span>{middle?.tick}</span>}
        {bars.length > 1 && <span>{bars.at(-1)?.tick}</span>}
      </div>
    </div>
  );
}
