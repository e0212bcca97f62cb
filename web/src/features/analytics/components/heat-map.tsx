import { useMemo, useState } from 'react';
import { PointPicker } from '@/components/charts/point-picker';
import type { Breakdown } from '../api/breakdown';
import { valueName, WEEKDAYS } from '../lib/dimensions';
import { metricName, metricText, shownMetrics, type Metric } from '../lib/metrics';
import { PointNote } from './point-note';

const HOURS = 24;
const CELLS = HOURS * WEEKDAYS.length;
const NO_NAMES = { partners: [], links: [] };

interface Props {
  readonly data: Breakdown;
  readonly metric: Metric;
  readonly onPick: (value: string) => void;
}

/** When things happen: weekday by hour, in the website's time zone. */
export function HeatMap({ data, metric, onPick }: Props) {
  const [active, setActive] = useState<number | null>(null);
  const cells = useMemo(() => {
    const found = new Map(data.rows.map((row) => [row.values['weekday_hour'] ?? '', row]));
    return Array.from({ length: CELLS }, (_, index) => found.get(valueOf(index)));
  }, [data]);
  const most = Math.max(0, ...cells.map((row) => row?.[metric] ?? 0));
  const textOf = (index: number) => {
    const row = cells[index];
    const figures = shownMetrics(metric)
      .map((item) => `${metricText(item, row?.[item] ?? 0, data.currency)} ${metricName(item)}`)
      .join(', ');
    return `${valueName('weekday_hour', valueOf(index), NO_NAMES)}: ${figures}`;
  };
  return (
    <div>
      <div className="grid grid-cols-[2.25rem_minmax(0,1fr)] gap-y-1">
        <div aria-hidden className="grid grid-rows-7 text-xs text-muted">
          {WEEKDAYS.map((name) => (
            <span key={name} className="flex items-center">
              {name}
            </span>
          ))}
        </div>
        <PointPicker
          label={`${metricName(metric)} by weekday and hour`}
          count={CELLS}
          active={active}
          onActive={setActive}
          textOf={textOf}
          rowLength={HOURS}
          pointAt={(across, down) => cellAt(across, down)}
          onChoose={(index) => onPick(valueOf(index))}
          className="grid h-50 grid-cols-24 grid-rows-7 gap-0.5"
        >
          {cells.map((row, index) => (
            <span
              key={valueOf(index)}
              aria-hidden
              className="rounded-[3px]"
              style={{
                background: shade(row?.[metric] ?? 0, most),
                outline: index === active ? '2px solid var(--c-text)' : undefined,
              }}
            />
          ))}
        </PointPicker>
        <span />
        <div aria-hidden className="flex justify-between text-xs text-muted tabular">
          {['00', '06', '12', '18', '24'].map((hour) => (
            <span key={hour}>{hour}:00</span>
          ))}
        </div>
      </div>
      <PointNote>
        {active === null ? 'Times of the website’s time zone. Click an hour to filter the page.' : textOf(active)}
      </PointNote>
    </div>
  );
}

/** Cells in reading order: "1-0" is the first hour of Monday. */
const valueOf = (index: number): string => `${Math.floor(index / HOURS) + 1}-${index % HOURS}`;

function cellAt(across: number, down: number): number | null {
  if (across < 0 || across >= 1 || down < 0 || down >= 1) return null;
  return Math.floor(down * WEEKDAYS.length) * HOURS + Math.floor(across * HOURS);
}

function shade(value: number, most: number): string {
  if (value <= 0 || most <= 0) return 'var(--c-sunken)';
  return `color-mix(in srgb, var(--c-chart-1) ${Math.round(12 + 88 * (value / most))}%, var(--c-surface))`;
}
