import { fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Below } from './below';

let turns: (() => void)[] = [];
let comeNear: () => void = () => undefined;

beforeEach(() => {
  turns = [];
  vi.stubGlobal('requestIdleCallback', (run: () => void) => turns.push(run));
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(observe: (entries: { isIntersecting: boolean }[]) => void) {
        comeNear = () => observe([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  return () => vi.unstubAllGlobals();
});

test('a card below the first view is drawn when the page is idle, one at a time', async () => {
  render(
    <>
      <Below now>first</Below>
      <Below now>second</Below>
    </>,
  );
  expect(screen.queryByText(/first|second/)).not.toBeInTheDocument();
  turns.shift()?.();
  expect(await screen.findByText('first')).toBeInTheDocument();
  expect(screen.queryByText('second')).not.toBeInTheDocument();
  turns.shift()?.();
  expect(await screen.findByText(/second/)).toBeInTheDocument();
});

test('none is queued before the first view is there', () => {
  render(<Below now={false}>card</Below>);
  expect(turns).toEqual([]);
});

test.each([
  ['near the view', () => comeNear()],
  ['printed', () => fireEvent(window, new Event('beforeprint'))],
])('what is %s is drawn at once', async (_, happens) => {
  render(<Below now={false}>card</Below>);
  happens();
  expect(await screen.findByText('card')).toBeInTheDocument();
});
