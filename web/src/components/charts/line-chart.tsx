// One metric over time as straight lines between its points: nothing is drawn that was not measured. Plain SVG.
import { memo, useState } from 'react';
import { axisTicks, labelStep } from './axis';
import { TooltipBox } from './parts';
import { PointPicker } from './point-picker';
import { useWidth } from './use-width';

export interface LinePoint {
  readonly key: string;
  /** The text on the axis; null: none. */
  readonly tick: string | null;
  readonly label: string;
  readonly value: number | null;
  readonly previous: number | null;
  readonly previousLabel: string | null;
}

export interface Mark {
  readonly id: string;
  /** The point that it belongs to. */
  readonly index: number;
  readonly text: string;
}

interface Props {
  readonly label: string;
  readonly name: string;
  readonly points: readonly LinePoint[];
  readonly color: string;
  readonly textOf: (value: number) => string;
  readonly axisText: (value: number) => string;
  /** Counts have no halves on their axis. */
  readonly whole: boolean;
  /** The last bucket is still filling: the way to it is dashed. */
  readonly partial: boolean;
  readonly marks?: readonly Mark[];
  readonly onChoose?: (index: number) => void;
  readonly height: number;
}

const TOP = 10;
const BOTTOM = 24;
const RIGHT = 12;
const CHARACTER = 7;
const TICK_ROOM = 64;
const MIN_TIP = 212;

export const LineChart = memo(function LineChart(props: Props) {
  const { label, points, color, axisText, partial, height, marks = [] } = props;
  const [box, width] = useWidth<HTMLDivElement>(800);
  const [chosen, setActive] = useState<number | null>(null);
  // After a change of range the pointer is over another point, or over none.
  const active = chosen !== null && chosen < points.length ? chosen : null;
  const most = Math.max(0, ...points.map((point) => Math.max(point.value ?? 0, point.previous ?? 0)));
  const ticks = axisTicks(most, 4, props.whole);
  const ceiling = ticks.at(-1) || 1;
  const left = 12 + CHARACTER * Math.max(...ticks.map((tick) => axisText(tick).length));
  const inner = Math.max(1, width - left - RIGHT);
  const x = (index: number) => left + (points.length === 1 ? inner / 2 : (index / (points.length - 1)) * inner);
  const y = (value: number) => TOP + (1 - value / ceiling) * (height - TOP - BOTTOM);
  const last = points.length - 1;
  const written = points.flatMap((point, index) => (point.tick === null ? [] : [index]));
  const step = labelStep(written.length, inner, TICK_ROOM);
  const rowsOf = (index: number) => tooltipRows(props, index);
  const titleOf = (index: number) => `${points[index]?.label ?? ''}${partial && index === last ? ' (so far)' : ''}`;
  return (
    <div ref={box} className="w-full min-w-0">
      <PointPicker
        label={label}
        count={points.length}
        active={active}
        onActive={setActive}
        textOf={(index) =>
          [
            `${titleOf(index)}: ${rowsOf(index)
              .map((row) => `${row.name} ${row.value}`)
              .join(', ')}`,
            ...textsAt(marks, index),
          ].join('. ')
        }
        pointAt={(across) => nearest(across * width, left, inner, points.length)}
        {...(props.onChoose ? { onChoose: props.onChoose } : {})}
        style={{ height }}
      >
        <svg aria-hidden width={width} height={height} className="block">
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={left}
                x2={width - RIGHT}
                y1={y(tick)}
                y2={y(tick)}
                stroke="var(--c-line)"
                strokeDasharray="3 4"
              />
              <text
                x={left - 8}
                y={y(tick)}
                textAnchor="end"
                dominantBaseline="central"
                fontSize={12}
                fill="var(--c-muted)"
              >
                {axisText(tick)}
              </text>
            </g>
          ))}
          {written
            .filter((_, place) => place % step === 0)
            .map((index) => (
              <text
                key={index}
                x={Math.min(width - 18, Math.max(18, x(index)))}
                y={height - 6}
                textAnchor="middle"
                fontSize={12}
                fill="var(--c-muted)"
              >
                {points[index]?.tick}
              </text>
            ))}
          {marks.map((mark) => (
            <g key={mark.id}>
              <line
                x1={x(mark.index)}
                x2={x(mark.index)}
                y1={TOP}
                y2={height - BOTTOM}
                stroke="var(--c-chart-3)"
                strokeDasharray="2 3"
              />
              <circle cx={x(mark.index)} cy={TOP} r={4} fill="var(--c-chart-3)" />
            </g>
          ))}
          <path
            d={linePath(
              points.map((point) => point.previous),
              x,
              y,
            )}
            fill="none"
            stroke="var(--c-line-strong)"
            strokeWidth={1.5}
            strokeDasharray="2 4"
          />
          <path
            d={linePath(
              points.map((point, index) => (partial && index === last && last > 0 ? null : point.value)),
              x,
              y,
            )}
            fill="none"
            stroke={color}
            strokeWidth={2}
            strokeLinejoin="round"
          />
          {partial && last > 0 && (
            <path
              d={linePath(
                points.map((point, index) => (index >= last - 1 ? point.value : null)),
                x,
                y,
              )}
              fill="none"
              stroke={color}
              strokeWidth={2}
              strokeDasharray="5 4"
            />
          )}
          {points.map((point, index) => {
            const alone = (points[index - 1]?.value ?? null) === null && (points[index + 1]?.value ?? null) === null;
            return point.value !== null && alone ? (
              <circle key={point.key} cx={x(index)} cy={y(point.value)} r={3.5} fill={color} />
            ) : null;
          })}
          {active !== null && (
            <g>
              <line
                x1={x(active)}
                x2={x(active)}
                y1={TOP}
                y2={height - BOTTOM}
                stroke="var(--c-line-strong)"
                strokeDasharray="3 3"
              />
              {points[active]?.value !== null && (
                <circle
                  cx={x(active)}
                  cy={y(points[active]?.value ?? 0)}
                  r={4.5}
                  fill={color}
                  stroke="var(--c-surface)"
                  strokeWidth={2}
                />
              )}
            </g>
          )}
        </svg>
        {active !== null && (
          <div
            aria-hidden
            className="pointer-events-none absolute top-2 z-raised w-max"
            style={besides(x(active), width)}
          >
            <TooltipBox title={titleOf(active)} rows={rowsOf(active)} notes={textsAt(marks, active)} />
          </div>
        )}
      </PointPicker>
    </div>
  );
});

/** On the wider side of a point; where that is narrower than the tip, over the point. */
function besides(x: number, width: number) {
  const side = Math.max(x, width - x, MIN_TIP) - 12;
  return { [x > width / 2 ? 'right' : 'left']: width - side, maxWidth: side };
}

function tooltipRows({ name, points, color, textOf }: Props, index: number) {
  const point = points[index];
  if (!point) return [];
  const rows = [{ color, name, value: point.value === null ? '–' : textOf(point.value) }];
  if (point.previous !== null)
    rows.push({
      color: 'var(--c-line-strong)',
      name: point.previousLabel ?? 'Previous period',
      value: textOf(point.previous),
    });
  return rows;
}

const textsAt = (marks: readonly Mark[], index: number): readonly string[] =>
  marks.filter((mark) => mark.index === index).map((mark) => mark.text);

/** A path that leaves out what has no value. */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = '';
  let drawing = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${drawing ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = value !== null;
  }
  return path;
}

/** The point nearest to a place across. */
export function nearest(place: number, left: number, inner: number, count: number): number | null {
  if (count === 0) return null;
  const index = Math.round(((place - left) / inner) * (count - 1));
  return Math.min(count - 1, Math.max(0, index));
}
