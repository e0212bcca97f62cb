// Saves the changes of a document one after the other, each based on the edition of the previous write.
import { ApiError } from './errors';

export type SaveStatus = 'saved' | 'waiting' | 'saving' | 'failed' | 'conflict';
export interface SaveState {
  readonly status: SaveStatus;
  readonly error: unknown;
}

export interface Saver<T> {
  readonly state: () => SaveState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly change: (value: T) => void;
  /** What the server has. */
  readonly kept: () => T;
  readonly edition: () => number;
  /** Writes pending changes now. True: everything is saved. */
  readonly flush: () => Promise<boolean>;
  /** Ends a conflict: the next write replaces this edition, which has `value`. */
  readonly rebase: (edition: number, value: T) => void;
  /** Queues another write of this document; its errors are the caller's. */
  readonly run: <Made extends { readonly edition: number }>(write: (edition: number) => Promise<Made>) => Promise<Made>;
}

interface Start<T> {
  readonly edition: number;
  readonly value: T;
  readonly write: (value: T, edition: number) => Promise<{ readonly edition: number }>;
  /** Code of the error that says that it was changed elsewhere. */
  readonly conflict: string;
  /** Debounce before saving; null: only on request. */
  readonly delayMs: number | null;
}

export function createSaver<T>({ edition: first, value: initial, write, conflict, delayMs }: Start<T>): Saver<T> {
  const listeners = new Set<() => void>();
  let edition = first;
  let kept = initial;
  let wanted = initial;
  let state: SaveState = { status: 'saved', error: null };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let chain: Promise<unknown> = Promise.resolve();

  const set = (status: SaveStatus, error: unknown = null) => {
    state = { status, error };
    for (const listener of listeners) listener();
  };
  const isSaved = () => JSON.stringify(wanted) === JSON.stringify(kept);

  const save = async (): Promise<boolean> => {
    if (state.status === 'conflict') return false;
    if (isSaved()) {
      if (state.status !== 'saved') set('saved');
      return true;
    }
    const value = wanted;
    set('saving');
    try {
      edition = (await write(value, edition)).edition;
    } catch (error) {
      set(error instanceof ApiError && error.code === conflict ? 'conflict' : 'failed', error);
      return false;
    }
    kept = value;
    if (isSaved()) {
      set('saved');
      return true;
    }
    set('waiting'); // changed during the write: its own timer saves it
    return false;
  };
  const inTurn = <Made>(task: () => Promise<Made>): Promise<Made> => {
    const turn = chain.then(task);
    chain = turn.catch(() => undefined);
    return turn;
  };
  const flush = () => {
    clearTimeout(timer);
    return inTurn(save);
  };
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change: (value) => {
      wanted = value;
      clearTimeout(timer);
      if (state.status === 'conflict') return;
      if (isSaved()) {
        if (state.status !== 'saving') set('saved');
        return;
      }
      if (state.status !== 'saving') set('waiting');
      if (delayMs !== null) timer = setTimeout(() => void flush(), delayMs);
    },
    kept: () => kept,
    edition: () => edition,
    flush,
    rebase: (next, value) => {
      edition = next;
      kept = value;
      set(isSaved() ? 'saved' : 'waiting');
    },
    run: (task) =>
      inTurn(async () => {
        const made = await task(edition);
        edition = made.edition;
        return made;
      }),
  };
}
