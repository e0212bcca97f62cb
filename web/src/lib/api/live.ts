// One shared stream per website and page: opened by the first reader, closed by the last, paused while the tab is
// hidden (a browser allows six connections per origin), reopened with back-off.
import { useCallback, useSyncExternalStore } from 'react';
import { api } from './client';
import type { LiveData } from './types';

export type LiveStatus = 'connecting' | 'live' | 'reconnecting' | 'paused';
export interface LiveState {
  readonly status: LiveStatus;
  readonly data: LiveData | null;
  readonly receivedAt: number | null;
}

interface Stream {
  subscribe(listener: () => void): () => void;
  state(): LiveState;
}

const RECENT = 20;
/** Thirty minutes touch 31 of the clock. */
const MINUTES = 31;
const MAX_BACKOFF_MS = 30_000;
const EMPTY: LiveState = { status: 'connecting', data: null, receivedAt: null };
const streams = new Map<string, Stream>();

export function useLive<T>(websiteId: string, select: (state: LiveState) => T): T {
  const subscribe = useCallback((listener: () => void) => streamOf(websiteId).subscribe(listener), [websiteId]);
  return useSyncExternalStore(subscribe, () => select(streamOf(websiteId).state()));
}

/** Calls back on every change, outside of rendering. */
export function watchLive(websiteId: string, listener: (state: LiveState) => void): () => void {
  const stream = streamOf(websiteId);
  return stream.subscribe(() => listener(stream.state()));
}

/** An update replaces the totals it contains; minutes and events are merged, so partial updates work. */
export function mergeLive(before: LiveData | null, update: LiveData): LiveData {
  if (!before) return { ...update, recent: update.recent.slice(0, RECENT) };
  const minutes = new Map(before.perMinute.map((item) => [Date.parse(item.minute), item]));
  for (const item of update.perMinute) minutes.set(Date.parse(item.minute), item);
  const events = new Map([...before.recent, ...update.recent].map((item) => [item.id, item]));
  return {
    asOf: update.asOf,
    activeVisitors: update.activeVisitors,
    top: update.top,
    perMinute: [...minutes.entries()]
      .sort(([a], [b]) => a - b)
      .slice(-MINUTES)
      .map(([, item]) => item),
    recent: [...events.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, RECENT),
  };
}

/** EventSource reports no status. If the session has ended, this request returns 401 and leads to sign-in. */
function checkSession(): void {
  api.GET('/api/platform/user').catch(() => undefined);
}

function streamOf(websiteId: string): Stream {
  let stream = streams.get(websiteId);
  if (!stream) {
    stream = createStream(`/api/platform/analytics/live?websiteId=${encodeURIComponent(websiteId)}`);
    streams.set(websiteId, stream);
  }
  return stream;
}

function createStream(url: string): Stream {
  const listeners = new Set<() => void>();
  let state = EMPTY;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  function change(next: Partial<LiveState>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  }

  function open(): void {
    clearTimeout(timer);
    if (document.hidden) {
      change({ status: 'paused' });
      return;
    }
    change({ status: failures === 0 ? 'connecting' : 'reconnecting' });
    source = new EventSource(url);
    source.addEventListener('snapshot', (event) => receive(event.data as string, true));
    source.addEventListener('update', (event) => receive(event.data as string, false));
    source.onerror = () => {
      if (source?.readyState === EventSource.CLOSED) checkSession();
      close();
      failures += 1;
      change({ status: 'reconnecting' });
      const backoff = Math.min(MAX_BACKOFF_MS, 1000 * 2 ** (failures - 1));
      timer = setTimeout(open, backoff * (0.75 + Math.random() / 2));
    };
  }

  function receive(text: string, whole: boolean): void {
    failures = 0;
    const update = JSON.parse(text) as LiveData;
    change({ status: 'live', data: mergeLive(whole ? null : state.data, update), receivedAt: Date.now() });
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function onVisibility(): void {
    if (document.hidden) {
      close();
      change({ status: 'paused' });
    } else if (!source) {
      open();
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        document.addEventListener('visibilitychange', onVisibility);
        failures = 0;
        open();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', onVisibility);
        close();
        state = EMPTY;
      };
    },
    state: () => state,
  };
}
