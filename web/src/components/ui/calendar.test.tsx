import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Calendar } from './calendar';
import { addMonths, weeksOf } from './calendar-days';

const setUp = (months: 1 | 2 = 2) => {
  const onPick = vi.fn();
  render(<Calendar from="2026-11-10" to="2026-11-20" max="2026-11-24" months={months} onPick={onPick} />);
  return { onPick, user: userEvent.setup() };
};
const day = (name: RegExp) => screen.getByRole('button', { name });

test('two months are shown, and two clicks choose a range in either order', async () => {
  const { onPick, user } = setUp();
  expect(screen.getByRole('grid', { name: 'October 2026' })).toBeInTheDocument();
  expect(screen.getByRole('grid', { name: 'November 2026' })).toBeInTheDocument();
  await user.click(day(/November 5, 2026/));
  expect(screen.getByRole('status')).toHaveTextContent('Choose the last day.');
  expect(onPick).not.toHaveBeenCalled();
  await user.click(day(/October 28, 2026/));
  expect(onPick).toHaveBeenCalledWith('2026-10-28', '2026-11-05');
});

test('days that have not come cannot be chosen, nor months after today', () => {
  setUp();
  expect(day(/November 24, 2026/)).toBeEnabled();
  expect(day(/November 25, 2026/)).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Next month' })).toBeDisabled();
});

test('the keyboard moves by days, weeks, months and years and chooses with Enter', async () => {
  const { onPick, user } = setUp(1);
  day(/November 20, 2026/).focus();
  await user.keyboard('{ArrowLeft}{ArrowUp}');
  expect(day(/Thursday, November 12, 2026/)).toHaveFocus();
  await user.keyboard('{Home}');
  expect(day(/Monday, November 9, 2026/)).toHaveFocus();
  await user.keyboard('{End}{Enter}{PageUp}');
  expect(day(/October 15, 2026/)).toHaveFocus();
  await user.keyboard('{Shift>}{PageUp}{/Shift}{Enter}');
  expect(onPick).toHaveBeenCalledWith('2025-10-15', '2026-11-15');
  await user.keyboard('{Shift>}{PageDown}{PageDown}{/Shift}');
  expect(day(/November 24, 2026/)).toHaveFocus();
});

test('one day is chosen by two clicks on it; the chosen days are reported', async () => {
  const { onPick, user } = setUp(1);
  expect(screen.getAllByRole('gridcell', { selected: true })).toHaveLength(11);
  await user.click(day(/November 3, 2026/));
  await user.click(day(/November 3, 2026/));
  expect(onPick).toHaveBeenCalledWith('2026-11-03', '2026-11-03');
});

test('months of any length; weeks begin on Monday', () => {
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(addMonths('2024-01-31', 1)).toBe('2024-02-29');
  expect(addMonths('2026-12-05', 1)).toBe('2027-01-05');
  expect(addMonths('2026-01-05', -13)).toBe('2024-12-05');
  expect(weeksOf('2026-11-01')[0]?.[0]).toBe('2026-10-26');
  expect(weeksOf('2026-06-01')[0]?.[0]).toBe('2026-06-01');
});
