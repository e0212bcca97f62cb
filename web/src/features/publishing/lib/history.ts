// Undo and redo. Pure. Changes of one field that follow each other closely are one step.

export interface Step<T> {
  readonly value: T;
  /** What the next step did, for people: "Move Review". */
  readonly label: string;
}

export interface History<T> {
  readonly past: readonly Step<T>[];
  readonly present: T;
  readonly future: readonly Step<T>[];
  /** The field that the last step changed, and when. */
  readonly last: { readonly field: string; readonly at: number } | null;
}

const MAX_STEPS = 200;
/** Typing that rests longer begins a new step. */
export const REST_MS = 1500;

export const historyOf = <T>(present: T): History<T> => ({ past: [], present, future: [], last: null });

/** `field`: what the change belongs to; without one, the change is a step of its own. */
export function changed<T>(history: History<T>, value: T, label: string, field = '', now = Date.now()): History<T> {
  if (value === history.present) return history;
  const last = field ? { field, at: now } : null;
  const continues = field !== '' && history.last?.field === field && now - history.last.at < REST_MS;
  if (continues) return { ...history, present: value, future: [], last };
  return {
    past: [...history.past, { value: history.present, label }].slice(-MAX_STEPS),
    present: value,
    future: [],
    last,
  };
}

export function undone<T>(history: History<T>): History<T> {
  const step = history.past.at(-1);
  if (!step) return history;
  return {
    past: history.past.slice(0, -1),
    present: step.value,
    future: [{ value: history.present, label: step.label }, ...history.future],
    last: null,
  };
}

export function redone<T>(history: History<T>): History<T> {
  const [step, ...future] = history.future;
  if (!step) return history;
  return {
    past: [...history.past, { value: history.present, label: step.label }],
    present: step.value,
    future,
    last: null,
  };
}
