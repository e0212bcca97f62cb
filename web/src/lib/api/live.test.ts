import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeEventSource } from '@/test/event-source';
import { live, liveEvent } from '@/test/fixtures';
import { mergeLive, useLive } from './live';

const event = (id: string, at: string) => liveEvent({ id, at });
let site = 0;

beforeEach(() => {
  vi.useFakeTimers();
  site += 1;
});
afterEach(() => {
  vi.useRealTimers();
  setHidden(false);
});

test('an update is merged: minutes replaced, events once, the newest first', () => {
  const before = live({
    perMinute: [{ minute: '2026-11-20T12:00:00Z', events: 1 }],
    recent: [event('a', '2026-11-20T12:00:01Z')],
  });
  const merged = mergeLive(
    before,
    live({
      activeVisitors: 3,
      perMinute: [
        { minute: '2026-11-20T12:00:00.000Z', events: 2 },
        { minute: '2026-11-20T12:01:00Z', events: 5 },
      ],
      recent: [event('b', '2026-11-20T12:01:02Z'), event('a', '2026-11-20T12:00:01Z')],
    }),
  );
  expect(merged.activeVisitors).toBe(3);
  expect(merged.perMinute.map((item) => item.events)).toEqual([2, 5]);
  expect(merged.recent.map((item) => item.id)).toEqual(['b', 'a']);
});

test('no more than twenty events and thirty minutes are kept', () => {
  const many = live({
    perMinute: Array.from({ length: 40 }, (_, index) => ({
      minute: new Date(index * 60_000).toISOString(),
      events: index,
    })),
    recent: Array.from({ length: 50 }, (_, index) => event(`e${index}`, new Date(index * 1000).toISOString())),
  });
  const merged = mergeLive(live(), many);
  expect(merged.perMinute).toHaveLength(31);
  expect(merged.perMinute[30]?.events).toBe(39);
  expect(merged.recent).toHaveLength(20);
  expect(merged.recent[0]?.id).toBe('e49');
});

test('readers share one stream, which closes with the last of them', () => {
  const one = renderHook(() => useLive(`w${site}`, (state) => state.status));
  const two = renderHook(() => useLive(`w${site}`, (state) => state.data?.activeVisitors));
  expect(FakeEventSource.all).toHaveLength(1);
  expect(FakeEventSource.last.url).toBe(`/api/platform/analytics/live?websiteId=w${site}`);
  expect(one.result.current).toBe('connecting');
  FakeEventSource.last.send('snapshot', live({ activeVisitors: 7 }));
  expect(one.result.current).toBe('live');
  expect(two.result.current).toBe(7);
  one.unmount();
  expect(FakeEventSource.last.closed).toBe(false);
  two.unmount();
  expect(FakeEventSource.last.closed).toBe(true);
});

test('a lost stream is opened again, later each time', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { result, unmount } = renderHook(() => useLive(`w${site}`, (state) => state.status));
  FakeEventSource.last.fail();
  expect(result.current).toBe('reconnecting');
  act(() => vi.advanceTimersByTime(1000));
  expect(FakeEventSource.all).toHaveLength(2);
  FakeEventSource.last.fail();
  act(() => vi.advanceTimersByTime(1999));
  expect(FakeEventSource.all).toHaveLength(2);
  act(() => vi.advanceTimersByTime(1));
  expect(FakeEventSource.all).toHaveLength(3);
  FakeEventSource.last.send('snapshot', live());
  expect(result.current).toBe('live');
  unmount();
});

test('a hidden tab gives its connection back and takes it up again', () => {
  const { result, unmount } = renderHook(() => useLive(`w${site}`, (state) => state.status));
  setHidden(true);
  expect(result.current).toBe('paused');
  expect(FakeEventSource.last.closed).toBe(true);
  setHidden(false);
  expect(FakeEventSource.all).toHaveLength(2);
  unmount();
});

function setHidden(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  act(() => document.dispatchEvent(new Event('visibilitychange')));
}
