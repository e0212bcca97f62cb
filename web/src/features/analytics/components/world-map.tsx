import { useMemo, useState } from 'react';
import world from 'virtual:world';
import { PointPicker } from '@/components/charts/point-picker';
import { countryName } from '@/lib/labels/countries';
import { countOf } from '@/lib/format';
import type { Breakdown, BreakdownRow } from '../api/breakdown';
import { metricName, metricText, shownMetrics, type Metric } from '../lib/metrics';
import { PointNote } from './point-note';

interface Props {
  readonly data: Breakdown;
  readonly metric: Metric;
  readonly picked: readonly string[];
  readonly onPick: (country: string) => void;
}

const ON_MAP = new Set(world.countries.map((country) => country.code));

/** Countries shaded by a metric. The tab beside it is the same as a list. */
export function WorldMap({ data, metric, picked, onPick }: Props) {
  const [active, setActive] = useState<number | null>(null);
  const rows = useMemo(() => data.rows.filter((row) => ON_MAP.has(row.values['country'] ?? '')), [data]);
  const index = useMemo(() => new Map(rows.map((row, place) => [row.values['country'] ?? '', place])), [rows]);
  const missing = data.rows.filter((row) => !ON_MAP.has(row.values['country'] ?? '')).length;
  const most = Math.max(0, ...rows.map((row) => row[metric] ?? 0));
  const activeRow = active === null ? undefined : rows[active];
  return (
    <div>
      <PointPicker
        label={`World map: ${metricName(metric)} by country`}
        count={rows.length}
        active={active}
        onActive={setActive}
        textOf={(place) => rowText(rows[place], metric, data.currency)}
        pointAt={(across, down) => index.get(countryAt(across, down)) ?? null}
        onChoose={(place) => onPick(rows[place]?.values['country'] ?? '')}
        style={{ aspectRatio: `${world.width} / ${world.height}` }}
        className="mx-auto max-w-xl"
      >
        <svg aria-hidden viewBox={`0 0 ${world.width} ${world.height}`} className="size-full">
          {world.countries.map(({ code, path }, place) => {
            const row = rows[index.get(code) ?? -1];
            const isActive = activeRow !== undefined && activeRow.values['country'] === code;
            return (
              <path
                key={`${code}${place}`}
                d={path}
                fill={fillOf(row?.[metric] ?? 0, most)}
                stroke={isActive || picked.includes(code) ? 'var(--c-text)' : 'var(--c-surface)'}
                strokeWidth={isActive || picked.includes(code) ? 2 : 0.75}
              />
            );
          })}
        </svg>
      </PointPicker>
      <PointNote>
        {activeRow
          ? rowText(activeRow, metric, data.currency)
          : missing > 0
            ? `${countOf(missing, 'place')} not on the map: see Country.`
            : 'Point at a country. Click it to filter the page.'}
      </PointNote>
    </div>
  );
}

/** The shade grows with the root of the value, so that small countries beside a large one stay distinguishable. */
function fillOf(value: number, most: number): string {
  if (value <= 0 || most <= 0) return 'var(--c-sunken)';
  return `color-mix(in srgb, var(--c-chart-1) ${Math.round(18 + 82 * Math.sqrt(value / most))}%, var(--c-surface))`;
}

function rowText(row: BreakdownRow | undefined, metric: Metric, currency: string): string {
  if (!row) return '';
  const figures = shownMetrics(metric).map((item) => `${metricText(item, row[item], currency)} ${metricName(item)}`);
  return `${countryName(row.values['country'] ?? '')}: ${figures.join(', ')}`;
}

let outlines: readonly { readonly code: string; readonly rings: readonly (readonly (readonly [number, number])[])[] }[];

/** The country under a point of the picture, 0 to 1 across and down. */
export function countryAt(across: number, down: number): string {
  outlines ??= world.countries.map(({ code, path }) => ({ code, rings: ringsOf(path) }));
  const [x, y] = [across * world.width, down * world.height];
  return outlines.find(({ rings }) => rings.filter((ring) => holds(ring, x, y)).length % 2 === 1)?.code ?? '';
}

function ringsOf(path: string): (readonly [number, number])[][] {
  return path
    .split('z')
    .filter(Boolean)
    .map((text) => {
      let [x, y] = [0, 0];
      return [...text.matchAll(/[Ml](-?\d+) (-?\d+)/g)].map(([, dx, dy]) => {
        [x, y] = [x + Number(dx), y + Number(dy)];
        return [x, y] as const;
      });
    });
}

/** Whether a ring goes around the point: a ray from it crosses the ring an odd number of times. */
function holds(ring: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let inside = false;
  let [beforeX, beforeY] = ring.at(-1) ?? [0, 0];
  for (const [nextX, nextY] of ring) {
    if (nextY > y !== beforeY > y && x < ((beforeX - nextX) * (y - nextY)) / (beforeY - nextY) + nextX)
      inside = !inside;
    [beforeX, beforeY] = [nextX, nextY];
  }
  return inside;
}
