import { fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Donut, PartnerChart, TrendChart } from './charts';
import type { TrendPoint } from './types';

beforeEach(() => {
  // recharts measures its frame before it draws.
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const [width, height] = this.matches('.recharts-wrapper') ? [800, 300] : [40, 20];
    return { width, height, top: 0, left: 0, right: width, bottom: height, x: 0, y: 0, toJSON: () => null };
  });
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(800);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(300);
});

const point = (index: number): TrendPoint => ({
  date: `2026-11-1${index}`,
  tick: `Nov 1${index}`,
  label: `Nov 1${index}, 2026`,
  revenue: 100 * index,
  conversions: index,
  previousRevenue: 90 * index,
  previousLabel: 'before',
});
const points = [point(4), point(5), point(6)];
const lines = (container: HTMLElement) => [...container.querySelectorAll('.recharts-line-curve')];

test('spec §2, revenue trends: revenue in USD without decimals, conversions on an axis to the right; a dashed end for the bucket that is filling, and the earlier period', () => {
  const { container } = render(
    <TrendChart
      points={points}
      ticks={points.map((item) => item.date)}
      currency="USD"
      partial
      comparison="previous period"
      compact={false}
    />,
  );
  expect(lines(container)).toHaveLength(5);
  expect(lines(container).filter((line) => line.getAttribute('stroke-dasharray')?.startsWith('5'))).toHaveLength(2);
  expect(screen.getByText('Revenue (previous period)')).toBeInTheDocument();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Revenue',
    'Conversions',
    'Revenue (previous period)',
  ]);
  expect(container.querySelectorAll('.recharts-cartesian-grid-horizontal line').length).toBeGreaterThan(2);
  expect(screen.getByText('Nov 14')).toBeInTheDocument();
  expect(container.textContent).toMatch(/\$\d00/);
  expect(container.textContent).not.toMatch(/\$\d+\.\d/);
  const axes = [...container.querySelectorAll('.recharts-yAxis-tick-labels')].map((axis) =>
    Number(axis.querySelector('text')?.getAttribute('x')),
  );
  expect(axes).toHaveLength(2);
  expect(axes[1]).toBeGreaterThan(axes[0] ?? NaN);
});

test('without comparison there is no third line', () => {
  const { container } = render(
    <TrendChart points={points} ticks={[]} currency="USD" partial={false} comparison={null} compact={false} />,
  );
  expect(screen.queryByText(/Revenue \(/)).not.toBeInTheDocument();
  expect(lines(container).some((line) => line.getAttribute('stroke-dasharray')?.startsWith('2'))).toBe(false);
});

test.each([false, true])('each partner has two bars (compact: %s)', (compact) => {
  const bars = [
    { id: 'p1', name: 'NordVPN', revenue: 10, conversions: 2 },
    { id: 'p2', name: 'A name that is far too long', revenue: 5, conversions: 1 },
  ];
  const { container } = render(<PartnerChart bars={bars} currency="USD" compact={compact} onPick={() => undefined} />);
  expect(container.querySelectorAll('.recharts-bar-rectangle')).toHaveLength(4);
  expect(container.textContent).toContain('…');
});

const slice = (id: string, share: number) => ({
  id,
  name: id,
  clicks: share * 100,
  revenue: 1234.5,
  share,
  color: 'red',
});

test('spec §2, §9, geographic distribution: slices under 5% carry no label', () => {
  render(
    <Donut
      slices={[slice('IS', 70), slice('DE', 20.01), slice('FR', 5), slice('SE', 4.99)]}
      currency="USD"
      onPick={() => undefined}
    />,
  );
  expect(screen.getByText('70%')).toBeInTheDocument();
  expect(screen.getByText('20%')).toBeInTheDocument();
  expect(screen.getAllByText('5%')).toHaveLength(1);
});

test('spec §2, §9, geographic distribution: the tooltip has clicks with their share, and revenue to 2 decimals', async () => {
  const { container } = render(
    <Donut slices={[slice('IS', 75), slice('DE', 25)]} currency="USD" onPick={() => undefined} />,
  );
  fireEvent.mouseOver(container.querySelector('.recharts-pie-sector') as Element, { clientX: 400, clientY: 150 });
  expect(await screen.findByText('7,500 (75.0%)')).toBeInTheDocument();
  expect(screen.getByText('$1,234.50')).toBeInTheDocument();
});
