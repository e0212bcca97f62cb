// Keeps a listing's changes: one write after the other, each on the edition that the one before made.
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
  /** Writes what waits, now. True: everything is kept. */
  readonly flush: () => Promise<boolean>;
  /** Another write of this listing, in its turn; its errors are the caller's. */
  readonly run: <Made extends { readonly edition: number }>(write: (edition: number) => Promise<Made>) => Promise<Made>;
}

interface Start {
  readonly edition: number;
  readonly fields: ListingFields;
  readonly write: (fields: ListingFields, edition: number) => Promise<{ readonly edition: number }>;
  /** How long typing rests before it is kept; null: only when told to. */
  readonly delayMs: number | null;
}

export function createSaver({ edition: first, fields: begun, write, delayMs }: Start): Saver {
  const listeners = new Set<() => void>();
  let edition = first;
  let kept = begun;
  let wanted = begun;
  let state: SaveState = { status: 'saved', error: null };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let chain: Promise<unknown> = Promise.resolve();

  const set = (status: SaveStatus, error: unknown = null) => {
    state = { status, error };
    for (const listener of listeners) listener();
  };
  const isKept = () => JSON.stringify(wanted) === JSON.stringify(kept);

  const save = async (): Promise<boolean> => {
    if (state.status === 'conflict') return false;
    if (isKept()) {
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
    if (isKept()) {
      set('saved');
      return true;
    }
    set('waiting'); // more was typed meanwhile: its own timer keeps it
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
      if (isKept()) {
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
