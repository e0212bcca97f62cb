import { cx } from '@/lib/cx';

export interface MiniBar {
  readonly key: string;
  readonly label: string;
  readonly parts: readonly { readonly value: number; readonly color: string }[];
}

interface Props {
  readonly label: string;
  readonly bars: readonly MiniBar[];
  readonly className?: string;
}

/** Below this number bars would be as wide as blocks. */
const FEW = 16;

/** Small stacked bars in plain SVG: cheap enough to redraw every second. */
export function MiniBars({ label, bars, className }: Props) {
  const totals = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0));
  const max = Math.max(1, ...totals);
  const width = bars.length < FEW ? 4 : 7.5;
  const inset = (10 - width) / 2;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(bars.length, 1) * 10} 100`}
      preserveAspectRatio="none"
      className={cx('w-full', className)}
    >
      {bars.map((bar, index) => {
        let top = 100;
        return (
          <g key={bar.key}>
            <title>{bar.label}</title>
            <rect x={index * 10} y={0} width={10} height={100} fill="transparent" />
            <rect x={index * 10 + inset} y={98.5} width={width} height={1.5} fill="var(--c-line)" />
            {bar.parts.map((part) => {
              const height = (part.value / max) * 98;
              top -= height;
              return part.value > 0 ? (
                <rect key={part.color} x={index * 10 + inset} y={top} width={width} height={height} fill={part.color} />
              ) : null;
            })}
          </g>
        );
      })}
    </svg>
  );
}
