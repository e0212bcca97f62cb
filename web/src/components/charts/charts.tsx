// Everything that needs recharts, in one lazy chunk. Colours are the tokens of styles.css.
import { memo } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  Pie,
  PieChart,
  Rectangle,
  Sector,
  Tooltip,
  XAxis,
  YAxis,
  type BarShapeProps,
  type PieLabelRenderProps,
  type PieSectorShapeProps,
} from 'recharts';
import { formatCompact, formatCount, formatMoney, formatPercent } from '@/lib/format';
import { TooltipBox } from './parts';
import type { PartnerBar, Slice, TrendPoint } from './types';

const REVENUE = 'var(--c-chart-1)';
const CONVERSIONS = 'var(--c-chart-2)';
export const AXIS = { axisLine: false, tickLine: false, tickMargin: 8 } as const;
export const CURSOR = { stroke: 'var(--c-line-strong)', strokeDasharray: '3 3' };
export const FILL = { width: '100%', height: '100%' } as const;

interface TrendProps {
  readonly points: readonly TrendPoint[];
  readonly ticks: readonly string[];
  readonly currency: string;
  /** The last bucket is still filling: its way is dashed. */
  readonly partial: boolean;
  readonly comparison: string | null;
  readonly compact: boolean;
}

export const TrendChart = memo(function TrendChart({
  points,
  ticks,
  currency,
  partial,
  comparison,
  compact,
}: TrendProps) {
  const last = points.length - 1;
  const rows = points.map((point, index) => {
    const solid = !partial || index < last;
    const dashed = partial && index >= last - 1;
    return {
      ...point,
      solidRevenue: solid ? point.revenue : null,
      partialRevenue: dashed ? point.revenue : null,
      solidConversions: solid ? point.conversions : null,
      partialConversions: dashed ? point.conversions : null,
    };
  });
  const labels = new Map(points.map((point) => [point.date, point.tick]));
  const line = { type: 'linear', isAnimationActive: false, strokeWidth: 2, connectNulls: false } as const;
  const dot = points.length === 1 ? { r: 4 } : false;
  const money = (value: number) =>
    compact
      ? `${formatMoney(0, currency, 0).replace('0', '')}${formatCompact(value)}`
      : formatMoney(value, currency, 0);
  return (
    <LineChart
      responsive
      style={FILL}
      data={rows}
      margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
      title="Revenue and conversions over time"
    >
      <CartesianGrid yAxisId="revenue" vertical={false} stroke="var(--c-line)" strokeDasharray="3 4" />
      <XAxis
        dataKey="date"
        ticks={[...ticks]}
        interval="equidistantPreserveStart"
        tickFormatter={(date: string) => labels.get(date) ?? ''}
        minTickGap={14}
        {...AXIS}
      />
      <YAxis yAxisId="revenue" width="auto" tickFormatter={money} domain={[0, 'auto']} {...AXIS} />
      <YAxis
        yAxisId="conversions"
        orientation="right"
        width="auto"
        allowDecimals={false}
        tickFormatter={formatCompact}
        domain={[0, 'auto']}
        {...AXIS}
      />
      <Tooltip
        cursor={CURSOR}
        isAnimationActive={false}
        content={({ active, payload }) => {
          const point = payload[0]?.payload as TrendPoint | undefined;
          if (!active || !point) return null;
          const filling = partial && point.date === points[last]?.date;
          return (
            <TooltipBox
              title={filling ? `${point.label} (so far)` : point.label}
              rows={[
                { color: REVENUE, name: 'Revenue', value: formatMoney(point.revenue, currency, 0) },
                { color: CONVERSIONS, name: 'Conversions', value: formatCount(point.conversions) },
                ...(point.previousRevenue === null
                  ? []
                  : [
                      {
                        color: 'var(--c-line-strong)',
                        name: point.previousLabel ?? 'Previous period',
                        value: formatMoney(point.previousRevenue, currency, 0),
                      },
                    ]),
              ]}
            />
          );
        }}
      />
      <Legend
        content={() => (
          <LegendRow
            items={[
              { color: REVENUE, name: 'Revenue' },
              { color: CONVERSIONS, name: 'Conversions' },
              ...(comparison ? [{ color: 'var(--c-line-strong)', name: `Revenue (${comparison})`, dashed: true }] : []),
            ]}
          />
        )}
      />
      {comparison && (
        <Line
          yAxisId="revenue"
          dataKey="previousRevenue"
          stroke="var(--c-line-strong)"
          strokeDasharray="2 4"
          dot={dot}
          activeDot={false}
          {...line}
          strokeWidth={1.5}
        />
      )}
      <Line yAxisId="revenue" dataKey="solidRevenue" stroke={REVENUE} dot={dot} {...line} />
      <Line yAxisId="revenue" dataKey="partialRevenue" stroke={REVENUE} strokeDasharray="5 4" dot={dot} {...line} />
      <Line yAxisId="conversions" dataKey="solidConversions" stroke={CONVERSIONS} dot={dot} {...line} />
      <Line
        yAxisId="conversions"
        dataKey="partialConversions"
        stroke={CONVERSIONS}
        strokeDasharray="5 4"
        dot={dot}
        {...line}
      />
    </LineChart>
  );
});

interface PartnerProps {
  readonly bars: readonly PartnerBar[];
  readonly currency: string;
  readonly compact: boolean;
  readonly onPick: (id: string) => void;
}

export const PartnerChart = memo(function PartnerChart({ bars, currency, compact, onPick }: PartnerProps) {
  const money = (value: number) => formatMoney(value, currency, 0);
  const pick = (item: { payload?: PartnerBar }) => {
    if (item.payload) onPick(item.payload.id);
  };
  const shape = (radius: [number, number, number, number]) => (props: BarShapeProps) => (
    <Rectangle {...props} radius={radius} />
  );
  const bar = {
    isAnimationActive: false,
    onClick: pick,
    className: 'cursor-pointer',
    maxBarSize: compact ? 12 : 22,
  } as const;
  const tooltip = (
    <Tooltip
      cursor={{ fill: 'var(--c-sunken)', opacity: 0.6 }}
      isAnimationActive={false}
      content={({ active, payload }) => {
        const item = payload[0]?.payload as PartnerBar | undefined;
        return active && item ? (
          <TooltipBox
            title={item.name}
            rows={[
              { color: REVENUE, name: 'Revenue', value: money(item.revenue) },
              { color: CONVERSIONS, name: 'Conversions', value: formatCount(item.conversions) },
            ]}
          />
        ) : null;
      }}
    />
  );
  const legend = (
    <Legend
      content={() => (
        <LegendRow
          items={[
            { color: REVENUE, name: 'Revenue' },
            { color: CONVERSIONS, name: 'Conversions' },
          ]}
        />
      )}
    />
  );
  if (compact) {
    return (
      <BarChart
        responsive
        style={FILL}
        data={[...bars]}
        layout="vertical"
        margin={{ top: 0, right: 8, bottom: 0, left: 0 }}
        title="Revenue and conversions by partner"
      >
        <CartesianGrid xAxisId="revenue" horizontal={false} stroke="var(--c-line)" strokeDasharray="3 4" />
        <YAxis
          type="category"
          dataKey="name"
          width={92}
          tickFormatter={(name: string) => shorten(name, 12)}
          interval={0}
          {...AXIS}
        />
        <XAxis xAxisId="revenue" type="number" tickFormatter={formatCompact} tickCount={4} {...AXIS} />
        <XAxis xAxisId="conversions" type="number" orientation="top" hide />
        {tooltip}
        {legend}
        <Bar xAxisId="revenue" dataKey="revenue" fill={REVENUE} shape={shape([0, 3, 3, 0])} {...bar} />
        <Bar xAxisId="conversions" dataKey="conversions" fill={CONVERSIONS} shape={shape([0, 3, 3, 0])} {...bar} />
      </BarChart>
    );
  }
  return (
    <BarChart
      responsive
      style={FILL}
      data={[...bars]}
      margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
      barGap={3}
      title="Revenue and conversions by partner"
    >
      <CartesianGrid yAxisId="revenue" vertical={false} stroke="var(--c-line)" strokeDasharray="3 4" />
      <XAxis
        dataKey="name"
        interval={0}
        angle={bars.length > 5 ? -28 : 0}
        textAnchor={bars.length > 5 ? 'end' : 'middle'}
        height={bars.length > 5 ? 56 : 28}
        tickFormatter={(name: string) => shorten(name, 14)}
        {...AXIS}
      />
      <YAxis yAxisId="revenue" width="auto" tickFormatter={money} {...AXIS} />
      <YAxis
        yAxisId="conversions"
        orientation="right"
        width="auto"
        allowDecimals={false}
        tickFormatter={formatCompact}
        {...AXIS}
      />
      {tooltip}
      {legend}
      <Bar yAxisId="revenue" dataKey="revenue" fill={REVENUE} shape={shape([3, 3, 0, 0])} {...bar} />
      <Bar yAxisId="conversions" dataKey="conversions" fill={CONVERSIONS} shape={shape([3, 3, 0, 0])} {...bar} />
    </BarChart>
  );
});

interface DonutProps {
  readonly slices: readonly Slice[];
  readonly currency: string;
  readonly onPick: (id: string) => void;
}

const MIN_LABEL_SHARE = 5;

export const Donut = memo(function Donut({ slices, currency, onPick }: DonutProps) {
  const pick = (item: { payload?: Slice }) => {
    if (item.payload?.id) onPick(item.payload.id);
  };
  return (
    <PieChart responsive style={FILL} title="Clicks by country">
      <Tooltip
        isAnimationActive={false}
        content={({ active, payload }) => {
          const slice = payload[0]?.payload as Slice | undefined;
          return active && slice ? (
            <TooltipBox
              title={slice.name}
              rows={[
                {
                  color: slice.color,
                  name: 'Clicks',
                  value: `${formatCount(slice.clicks)} (${formatPercent(slice.share, 1)})`,
                },
                { color: 'transparent', name: 'Revenue', value: formatMoney(slice.revenue, currency) },
              ]}
            />
          ) : null;
        }}
      />
      <Pie
        data={[...slices]}
        dataKey="clicks"
        nameKey="name"
        innerRadius="52%"
        outerRadius="78%"
        startAngle={90}
        endAngle={-270}
        isAnimationActive={false}
        labelLine={false}
        label={ShareLabel}
        onClick={pick}
        shape={(props: PieSectorShapeProps) => (
          <Sector
            {...props}
            fill={(props.payload as Slice).color}
            stroke="var(--c-surface)"
            strokeWidth={slices.length > 1 ? 2 : 0}
            className={(props.payload as Slice).id ? 'cursor-pointer' : ''}
          />
        )}
      />
    </PieChart>
  );
});

function ShareLabel({ cx, cy, midAngle = 0, outerRadius, payload }: PieLabelRenderProps) {
  const share = (payload as Slice).share;
  if (share < MIN_LABEL_SHARE) return null;
  const radius = Number(outerRadius) + 14;
  const angle = (-midAngle * Math.PI) / 180;
  return (
    <text
      x={Number(cx) + radius * Math.cos(angle)}
      y={Number(cy) + radius * Math.sin(angle)}
      textAnchor="middle"
      dominantBaseline="central"
      fontSize={12}
      fill="var(--c-muted)"
    >
      {formatPercent(share, 0)}
    </text>
  );
}

export function LegendRow({
  items,
}: {
  readonly items: readonly { readonly color: string; readonly name: string; readonly dashed?: boolean }[];
}) {
  return (
    <ul className="flex flex-wrap justify-center gap-x-5 gap-y-1 pt-3 text-[0.8125rem] text-muted">
      {items.map((item) => (
        <li key={item.name} className="flex items-center gap-2">
          <span
            aria-hidden
            className={item.dashed ? 'w-4 border-t-2 border-dashed' : 'h-1 w-4 rounded-full'}
            style={item.dashed ? { borderColor: item.color } : { background: item.color }}
          />
          {item.name}
        </li>
      ))}
    </ul>
  );
}

export const shorten = (name: string, length: number): string =>
  name.length > length ? `${name.slice(0, length - 1)}…` : name;
