import { create } from 'zustand';

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Toast {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly tone: 'default' | 'destructive';
  readonly open: boolean;
  readonly action?: ToastAction;
  /** As long as the action is possible; else as long as every toast. */
  readonly durationMs?: number;
}

export const TOAST_LIMIT = 1;
export const TOAST_DURATION_MS = 5000;
export const TOAST_REMOVE_DELAY_MS = 1_000_000;

let nextId = 1;

export const useToasts = create<{ readonly items: readonly Toast[] }>(() => ({ items: [] }));

export function toast(title: string, description?: string, tone: Toast['tone'] = 'default'): void {
  show({ title, tone, ...(description ? { description } : {}) });
}

export const toastError = (title: string, description?: string): void => toast(title, description, 'destructive');

/** Offers an action for as long as it is possible. */
export function toastWith(title: string, description: string, action: ToastAction, durationMs: number): void {
  show({ title, description, tone: 'default', action, durationMs });
}

export function dismissToast(id: number): void {
  useToasts.setState(({ items }) => ({
    items: items.map((item) => (item.id === id ? { ...item, open: false } : item)),
  }));
  setTimeout(() => {
    useToasts.setState(({ items }) => ({ items: items.filter((item) => item.id !== id) }));
  }, TOAST_REMOVE_DELAY_MS);
}

function show(made: Omit<Toast, 'id' | 'open'>): void {
  const item: Toast = { ...made, id: nextId++, open: true };
  useToasts.setState(({ items }) => ({ items: [item, ...items].slice(0, TOAST_LIMIT) }));
}
