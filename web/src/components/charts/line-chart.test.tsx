import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { axisTicks, labelStep } from './axis';
import { LineChart, linePath, nearest, type LinePoint } from './line-chart';

const point = (index: number, value: number | null): LinePoint => ({
  key: `2026-11-1${index}`,
  tick: `Nov 1${index}`,
  label: `Nov 1${index}, 2026`,
  value,
  previous: index * 10,
  previousLabel: `Nov ${index}, 2026`,
});

const show = (points: readonly LinePoint[], over: Partial<Parameters<typeof LineChart>[0]> = {}) =>
  render(
    <LineChart
      label="Clicks over time"
      name="Clicks"
      points={points}
      color="red"
      textOf={(value) => `${value}`}
      axisText={(value) => `${value}`}
      whole
      partial={false}
      height={200}
      {...over}
    />,
  );

test('lines are straight between the measured points, and leave out what was not measured', () => {
  expect(
    linePath(
      [1, 2, null, 4],
      (x) => x,
      (y) => y,
    ),
  ).toBe('M0.0 1.0L1.0 2.0M3.0 4.0');
  const { container } = show([point(1, 3), point(2, 0), point(3, 4)]);
  for (const path of container.querySelectorAll('path')) expect(path.getAttribute('d')).not.toMatch(/[CQSTA]/i);
});

test('axes begin at zero, have round steps, and of counts whole ones', () => {
  expect(axisTicks(4, 4, true)).toEqual([0, 1, 2, 3, 4]);
  expect(axisTicks(1, 4, true)).toEqual([0, 1]);
  expect(axisTicks(0, 4, true)).toEqual([0, 1]);
  expect(axisTicks(0.37)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
  expect(axisTicks(184_600)).toEqual([0, 50_000, 100_000, 150_000, 200_000]);
});

test('labels of the axis do not overlap', () => {
  expect(labelStep(7, 700, 64)).toBe(1);
  expect(labelStep(30, 700, 64)).toBe(3);
});

test('the point under the pointer is the one that is named', () => {
  expect(nearest(50, 50, 100, 3)).toBe(0);
  expect(nearest(99, 50, 100, 3)).toBe(1);
  expect(nearest(500, 50, 100, 3)).toBe(2);
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({
    left: 0,
    top: 0,
    width: 800,
    height: 200,
  } as DOMRect);
  show([point(1, 3), point(2, 0), point(3, 4)]);
  const chart = screen.getByRole('slider', { name: 'Clicks over time' });
  fireEvent.pointerMove(chart, { clientX: 790, clientY: 50 });
  expect(screen.getByText('Nov 13, 2026')).toBeInTheDocument();
  fireEvent.pointerMove(chart, { clientX: 0, clientY: 50 });
  expect(screen.getByText('Nov 11, 2026')).toBeInTheDocument();
  expect(screen.queryByText('Nov 13, 2026')).not.toBeInTheDocument();
});

test('after a change of range the tooltip is never of a point that is gone', () => {
  const { rerender } = show([point(1, 3), point(2, 0), point(3, 4)]);
  const chart = screen.getByRole('slider');
  fireEvent.keyDown(chart, { key: 'End' });
  expect(screen.getByText('Nov 13, 2026')).toBeInTheDocument();
  rerender(
    <LineChart
      label="Clicks over time"
      name="Clicks"
      points={[point(5, 1)]}
      color="red"
      textOf={String}
      axisText={String}
      whole
      partial={false}
      height={200}
    />,
  );
  expect(screen.queryByText('Nov 13, 2026')).not.toBeInTheDocument();
});

test('by keyboard: each point is announced with its comparison; Enter chooses it', () => {
  const onChoose = vi.fn();
  show([point(1, 3), point(2, 0), point(3, 4)], { onChoose, partial: true });
  const chart = screen.getByRole('slider');
  fireEvent.keyDown(chart, { key: 'End' });
  expect(chart).toHaveAttribute('aria-valuetext', 'Nov 13, 2026 (so far): Clicks 4, Nov 3, 2026 30');
  fireEvent.keyDown(chart, { key: 'ArrowLeft' });
  expect(chart).toHaveAttribute('aria-valuetext', 'Nov 12, 2026: Clicks 0, Nov 2, 2026 20');
  fireEvent.keyDown(chart, { key: 'Enter' });
  expect(onChoose).toHaveBeenCalledWith(1);
});

test('the way to the current bucket is dashed', () => {
  const { container } = show([point(1, 3), point(2, 0), point(3, 4)], { partial: true });
  expect(container.querySelectorAll('path[stroke="red"]')).toHaveLength(2);
  expect(container.querySelector('path[stroke="red"][stroke-dasharray]')?.getAttribute('d')).toMatch(/^M[^L]+L[^L]+$/);
});
