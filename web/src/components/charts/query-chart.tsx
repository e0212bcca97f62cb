// The result of a statement, drawn. A module of its own: pages with other charts do not pay for it.
import { memo } from 'react';
import { Bar, BarChart, CartesianGrid, Legend, Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts';
import { formatCompact } from '@/lib/format';
import { AXIS, CURSOR, FILL, LegendRow, shorten } from './charts';
import { TooltipBox } from './parts';

interface QueryProps {
  readonly kind: 'line' | 'bar';
  readonly name: string;
  readonly series: readonly string[];
  /** `x` and one value per series, as `y0`, `y1`, ... */
  readonly points: readonly Record<string, string | number | null>[];
}

export const QueryChart = memo(function QueryChart({ kind, name, series, points }: QueryProps) {
  const colour = (index: number) => `var(--c-chart-${(index % 8) + 1})`;
  const items = series.map((title, index) => ({ color: colour(index), name: title }));
  const parts = (
    <>
      <CartesianGrid vertical={false} stroke="var(--c-line)" strokeDasharray="3 4" />
      <XAxis dataKey="x" minTickGap={24} tickFormatter={(text: string) => shorten(text, 18)} {...AXIS} />
      <YAxis width="auto" tickFormatter={formatCompact} {...AXIS} />
      <Tooltip
        cursor={kind === 'line' ? CURSOR : { fill: 'var(--c-sunken)', opacity: 0.6 }}
        isAnimationActive={false}
        content={({ active, payload }) => {
          const point = payload[0]?.payload as Record<string, string | number | null> | undefined;
          if (!active || !point) return null;
          const rows = items.map((item, index) => ({
            ...item,
            value: typeof point[`y${index}`] === 'number' ? Number(point[`y${index}`]).toLocaleString() : '–',
          }));
          return <TooltipBox title={String(point['x'])} rows={rows} />;
        }}
      />
      <Legend content={() => <LegendRow items={items} />} />
    </>
  );
  const frame = {
    responsive: true,
    style: FILL,
    data: [...points],
    margin: { top: 8, right: 8, bottom: 0, left: 0 },
    title: name,
  } as const;
  if (kind === 'line') {
    return (
      <LineChart {...frame}>
        {parts}
        {series.map((title, index) => (
          <Line
            key={title}
            dataKey={`y${index}`}
            stroke={colour(index)}
            strokeWidth={2}
            dot={points.length === 1 ? { r: 4 } : false}
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    );
  }
  return (
    <BarChart {...frame}>
      {parts}
      {series.map((title, index) => (
        <Bar key={title} dataKey={`y${index}`} fill={colour(index)} maxBarSize={32} isAnimationActive={false} />
      ))}
    </BarChart>
  );
});
