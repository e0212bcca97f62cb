interface Props {
  readonly values: readonly number[];
  readonly color: string;
}

const WIDTH = 96;
const HEIGHT = 28;

/** Decorative; the numbers are in the card and in the chart's table. */
export function Sparkline({ values, color }: Props) {
  if (values.length < 2 || values.every((value) => value === 0)) return <div aria-hidden className="h-7 w-24" />;
  const max = Math.max(...values);
  const min = Math.min(...values);
  const span = max - min || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * (WIDTH - 4) + 2;
    const y = HEIGHT - 3 - ((value - min) / span) * (HEIGHT - 6);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-7 w-24 min-w-0" fill="none">
      <polyline
        points={points.join(' ')}
        stroke={color}
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
