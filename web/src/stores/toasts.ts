import { create } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly tone: 'default' | 'destructive';
  readonly open: boolean;
}

export const TOAST_LIMIT = 1;
export const TOAST_DURATION_MS = 5000;
export const TOAST_REMOVE_DELAY_MS = 1_000_000;

let nextId = 1;

export const useToasts = create<{ readonly items: readonly Toast[] }>(() => ({ items: [] }));

export function toast(title: string, description?: string, tone: Toast['tone'] = 'default'): void {
  const item: Toast = { id: nextId++, title, tone, open: true, ...(description ? { description } : {}) };
  useToasts.setState(({ items }) => ({ items: [item, ...items].slice(0, TOAST_LIMIT) }));
}

export const toastError = (title: string, description?: string): void => toast(title, description, 'destructive');

export function dismissToast(id: number): void {
  useToasts.setState(({ items }) => ({
    items: items.map((item) => (item.id === id ? { ...item, open: false } : item)),
  }));
  setTimeout(() => {
    useToasts.setState(({ items }) => ({ items: items.filter((item) => item.id !== id) }));
  }, TOAST_REMOVE_DELAY_MS);
}
