// Saves a listing's changes one after the other, each based on the edition of the previous write.
import { ApiError } from '@/lib/api/errors';
import type { ListingFields } from './types';

export type SaveStatus = 'saved' | 'waiting' | 'saving' | 'failed' | 'conflict';
export interface SaveState {
  readonly status: SaveStatus;
  readonly error: unknown;
}

export interface Saver {
  readonly state: () => SaveState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly change: (fields: ListingFields) => void;
  /** What the server has. */
  readonly kept: () => ListingFields;
  readonly edition: () => number;
  /** Writes pending changes now. True: everything is saved. */
  readonly flush: () => Promise<boolean>;
  /** Queues another write of this listing; its errors are the caller's. */
  readonly run: <Made extends { readonly edition: number }>(write: (edition: number) => Promise<Made>) => Promise<Made>;
}

interface Start {
  readonly edition: number;
  readonly fields: ListingFields;
  readonly write: (fields: ListingFields, edition: number) => Promise<{ readonly edition: number }>;
  /** Debounce before saving; null: only on request. */
  readonly delayMs: number | null;
}

export function createSaver({ edition: first, fields: initial, write, delayMs }: Start): Saver {
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
    const fields = wanted;
    set('saving');
    try {
      edition = (await write(fields, edition)).edition;
    } catch (error) {
      set(error instanceof ApiError && error.code === 'changed_elsewhere' ? 'conflict' : 'failed', error);
      return false;
    }
    kept = fields;
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
    change: (fields) => {
      wanted = fields;
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
    run: (task) =>
      inTurn(async () => {
        const made = await task(edition);
        edition = made.edition;
        return made;
      }),
  };
}
