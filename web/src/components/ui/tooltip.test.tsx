import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Tooltip } from './tooltip';

afterEach(() => vi.useRealTimers());

test('spec §9: a tooltip comes after 700 ms, and not when the pointer was gone before', async () => {
  await import('./tooltip-bubble'); // as if it had been fetched
  vi.useFakeTimers();
  render(
    <Tooltip text="Edit the link">
      <button type="button">E</button>
    </Tooltip>,
  );
  const around = screen.getByRole('button').parentElement as HTMLElement;
  fireEvent.pointerEnter(around, { pointerType: 'mouse' });
  await act(() => vi.advanceTimersByTimeAsync(699));
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(1));
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(screen.getByRole('tooltip')).toHaveTextContent('Edit the link');
  fireEvent.pointerLeave(around);
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  fireEvent.pointerEnter(around, { pointerType: 'mouse' });
  await act(() => vi.advanceTimersByTimeAsync(600));
  fireEvent.pointerLeave(around);
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
});
