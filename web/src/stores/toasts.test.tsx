import { act, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Dialog } from '@/components/ui/dialog';
import { Toaster } from '@/components/ui/toaster';
import { dismissToast, toast, toastError, useToasts } from './toasts';

vi.unmock('./toasts'); // here its time is what is looked at
vi.hoisted(() => vi.resetModules());
afterEach(() => vi.useRealTimers());

test('spec §4, §9: only one toast is there at a time', () => {
  toast('First');
  toastError('Second', 'why');
  expect(useToasts.getState().items).toHaveLength(1);
  expect(useToasts.getState().items[0]).toMatchObject({ title: 'Second', description: 'why', tone: 'destructive' });
});

test('spec §9: a toast is shown for 5000 ms and removed 1,000,000 ms after it was dismissed', () => {
  vi.useFakeTimers();
  render(<Toaster />);
  act(() => toast('Copied!'));
  act(() => vi.advanceTimersByTime(4999));
  expect(useToasts.getState().items[0]?.open).toBe(true);
  act(() => vi.advanceTimersByTime(1));
  expect(useToasts.getState().items[0]?.open).toBe(false);
  act(() => vi.advanceTimersByTime(999_999));
  expect(useToasts.getState().items).toHaveLength(1);
  act(() => vi.advanceTimersByTime(1));
  expect(useToasts.getState().items).toHaveLength(0);
});

test('spec §9: the viewport is reached with F8 and is at most 420 px wide', async () => {
  const user = userEvent.setup();
  render(<Toaster />);
  act(() => toast('Hello'));
  expect(screen.getByLabelText('Notifications (F8)')).toBeInTheDocument();
  expect(screen.getByText('Hello', { exact: true }).closest('ol')).toHaveClass('max-w-[420px]');
  await user.keyboard('[F8]');
  expect(screen.getByText('Hello', { exact: true }).closest('ol')).toHaveFocus();
  const [item] = useToasts.getState().items;
  act(() => dismissToast(item?.id ?? 0));
  expect(screen.queryByText('Hello')).not.toBeInTheDocument();
});

test.each([
  [50, true],
  [51, false],
])('spec §9: a toast that is swiped %i px to the right is still there: %s', (distance, there) => {
  render(<Toaster />);
  act(() => toast('Hello'));
  const shown = document.querySelector('[data-toast]') as HTMLElement;
  shown.setPointerCapture = () => undefined;
  fireEvent.pointerDown(shown, { button: 0, clientX: 100, clientY: 10, pointerType: 'mouse' });
  fireEvent.pointerMove(shown, { clientX: 100 + distance / 2, clientY: 10, pointerType: 'mouse' });
  fireEvent.pointerMove(shown, { clientX: 100 + distance, clientY: 10, pointerType: 'mouse' });
  fireEvent.pointerUp(shown, { clientX: 100 + distance, clientY: 10, pointerType: 'mouse' });
  expect(useToasts.getState().items[0]?.open).toBe(there);
});

test('Escape closes the dialog below a toast first, then the toast', async () => {
  const user = userEvent.setup();
  const onOpenChange = vi.fn<(open: boolean) => void>();
  const shown = (open: boolean) => (
    <>
      <Dialog open={open} onOpenChange={onOpenChange} title="Question">
        <button type="button">Yes</button>
      </Dialog>
      <Toaster />
    </>
  );
  const { rerender } = render(shown(true));
  act(() => toast('Refused'));
  await user.keyboard('{Escape}');
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false);
  expect(useToasts.getState().items[0]?.open).toBe(true);
  rerender(shown(false));
  await user.keyboard('{Escape}');
  expect(useToasts.getState().items[0]?.open).toBe(false);
});
