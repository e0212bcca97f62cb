import { render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Tabs } from './tabs';

const TABS = ['one', 'two', 'three'].map((id) => ({ id, label: id, content: id }));

test('where the row is too narrow, the chosen tab is scrolled into its middle', () => {
  const widths: Record<string, [left: number, width: number]> = { one: [0, 100], two: [100, 100], three: [200, 100] };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const [left, width] = widths[this.textContent ?? ''] ?? [0, 150];
    return new DOMRect(left, 0, width, 40);
  });
  const { getByRole, rerender } = render(<Tabs label="Parts" tabs={TABS} value="one" />);
  const before = getByRole('tablist').scrollLeft;
  rerender(<Tabs label="Parts" tabs={TABS} value="three" />);
  expect(getByRole('tablist').scrollLeft - before).toBe(175); // middle of "three" at 250, of the row at 75
});
