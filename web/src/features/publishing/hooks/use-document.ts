// A document under change: undo and redo, saved a moment after each change, with a copy in this browser until the server
// has it.
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '@/lib/api/errors';
import { createSaver, type Saver, type SaveState } from '@/lib/api/saver';
import { toast } from '@/stores/toasts';
import { changed, historyOf, redone, undone, type History } from '../lib/history';
import { dropCopy, keepCopy, placeOf, readCopy } from '../lib/local-copy';

export const SAVE_AFTER_MS = 3000;
const RETRY_MS = 10_000;

interface Start<T> {
  /** Names its copy in this browser. */
  readonly name: string;
  readonly version: number;
  readonly value: T;
  readonly conflict: string;
  readonly isValid: (value: unknown) => value is T;
  readonly write: (value: T, basedOn: number, restoredFrom: number | undefined) => Promise<number>;
}

/** What the server did not accept, and why. */
export interface Rejection<T> {
  readonly error: unknown;
  readonly sent: T;
}

export interface Latest<T> {
  readonly version: number;
  readonly value: T;
}

export interface OpenDocument<T> {
  readonly value: T;
  readonly history: History<T>;
  readonly saved: SaveState;
  readonly rejection: Rejection<T> | null;
  /** It began with changes that only this browser had. */
  readonly isRecovered: boolean;
  /** Changes that follow each other closely in one `field` are one step of undo. */
  readonly change: (label: string, next: (value: T) => T, field?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly flush: () => Promise<boolean>;
  /** A conflict: saves this version over the latest one. */
  readonly keepMine: (latest: Latest<T>) => void;
  /** A conflict: goes on with the latest version; undo brings this one back. */
  readonly takeTheirs: (latest: Latest<T>) => void;
  /** Goes on with an earlier version. */
  readonly restore: (value: T, version: number) => void;
  /** The version that the next change is based on. */
  readonly version: () => number;
}

export function useDocument<T>(start: Start<T>): OpenDocument<T> {
  const [place] = useState(() => placeOf(start.name));
  const [copy] = useState(() => {
    const kept = readCopy(place, start.isValid);
    return kept && JSON.stringify(kept.value) !== JSON.stringify(start.value) ? kept : null;
  });
  const [{ saver, results, restoring }] = useState(() => saving(start, copy?.basedOn ?? start.version));
  const [history, setHistory] = useState(() => historyOf(copy?.value ?? start.value));
  const saved = useSyncExternalStore(saver.subscribe, saver.state);
  const value = history.present;
  useEffect(() => saver.change(value), [saver, value]);
  useLocalCopy(place, saver, saved, value);
  useRetry(saver, saved);
  // The conflict, if it is one, shows at once.
  useEffect(() => {
    if (copy) void saver.flush();
  }, [copy, saver]);
  const change = useCallback<OpenDocument<T>['change']>(
    (label, next, field) => setHistory((before) => changed(before, next(before.present), label, field)),
    [],
  );
  return {
    value,
    history,
    saved,
    rejection: results.rejection,
    isRecovered: copy !== null,
    change,
    undo: useCallback(() => setHistory(undone), []),
    redo: useCallback(() => setHistory(redone), []),
    flush: saver.flush,
    keepMine: (latest) => {
      saver.rebase(latest.version, latest.value);
      void saver.flush();
    },
    takeTheirs: (latest) => {
      change('Take their version', () => latest.value);
      saver.change(latest.value);
      saver.rebase(latest.version, latest.value);
    },
    restore: (earlier, version) => {
      restoring({ value: earlier, version });
      change(`Restore version ${version}`, () => earlier);
      saver.change(earlier);
      void saver.flush();
    },
    version: saver.edition,
  };
}

interface Results<T> {
  rejection: Rejection<T> | null;
  /** What was restored, until it is saved. */
  restored: Latest<T> | null;
}

function saving<T>({ value, conflict, write }: Start<T>, edition: number) {
  const results: Results<T> = { rejection: null, restored: null };
  const saver = createSaver<T>({
    edition,
    value,
    conflict,
    delayMs: SAVE_AFTER_MS,
    write: async (sent, basedOn) => {
      const restored = results.restored?.value === sent ? results.restored.version : undefined;
      try {
        const version = await write(sent, basedOn, restored);
        results.rejection = null;
        results.restored = null;
        return { edition: version };
      } catch (error) {
        results.rejection = { error, sent };
        throw error;
      }
    },
  });
  const restoring = (restored: Latest<T>) => {
    results.restored = restored;
  };
  return { saver, results, restoring };
}

function useLocalCopy<T>(place: string, saver: Saver<T>, saved: SaveState, value: T): void {
  useEffect(() => {
    const isSaved = saved.status === 'saved' && JSON.stringify(saver.kept()) === JSON.stringify(value);
    if (isSaved) dropCopy(place);
    else keepCopy(place, { basedOn: saver.edition(), value });
  }, [place, saver, saved, value]);
  useEffect(
    () => () => {
      const { status } = saver.state();
      if (status === 'saved' || status === 'conflict') return;
      void saver.flush().then((done) => {
        if (done) dropCopy(place);
        else toast('Changes not saved yet', 'They are stored in this browser: open the editor again to save them.');
      });
    },
    [place, saver],
  );
  const isOpen = saved.status !== 'saved';
  useEffect(() => {
    if (!isOpen) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!keepCopy(place, { basedOn: saver.edition(), value })) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [place, saver, isOpen, value]);
}

/** A server that could not be reached is asked again; one that rejected the document is not. */
function useRetry<T>(saver: Saver<T>, saved: SaveState): void {
  const isLost = saved.status === 'failed' && !(saved.error instanceof ApiError && saved.error.status < 500);
  useEffect(() => {
    if (!isLost) return;
    const again = () => void saver.flush();
    const timer = setInterval(again, RETRY_MS);
    window.addEventListener('online', again);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', again);
    };
  }, [isLost, saver]);
}
