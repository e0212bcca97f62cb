import { cleanup, fireEvent, render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Tabs } from './tabs';

const TABS = ['one', 'two'].map((id) => ({ id, label: id, content: id }));

function shown(scrollWidth: number) {
  cleanup();
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(300);
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(scrollWidth);
  const row = render(<Tabs label="Parts" tabs={TABS} />).getByRole('tablist');
  return (scrollLeft: number) => {
    row.scrollLeft = scrollLeft;
    fireEvent.scroll(row);
    return row.dataset.more;
  };
}

test('what scrolls sideways says behind which edge there is more', () => {
  const scrolled = shown(500);
  expect([0, 100, 200].map(scrolled)).toEqual(['right', 'both', 'left']);
});

test('what fits, or is a part of a pixel wider, fades nowhere', () => {
  expect(shown(300)(0)).toBe('none');
  expect(shown(301)(0)).toBe('none');
});
