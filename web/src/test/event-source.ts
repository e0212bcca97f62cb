import { act } from '@testing-library/react';
import type { LiveData } from '@/lib/api/types';

/** An EventSource that a test speaks through. */
export class FakeEventSource {
  static readonly CLOSED = 2;
  static readonly all: FakeEventSource[] = [];
  readonly url: string;
  closed = false;
  readyState = 0;
  onerror: (() => void) | null = null;
  readonly #listeners = new Map<string, (event: { data: string }) => void>();

  constructor(url: string) {
    this.url = url;
    FakeEventSource.all.push(this);
  }
  static get last(): FakeEventSource {
    const source = FakeEventSource.all.at(-1);
    if (!source) throw new Error('No stream was opened.');
    return source;
  }
  addEventListener(name: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(name, listener);
  }
  close(): void {
    this.closed = true;
  }
  send(name: 'snapshot' | 'update', data: LiveData): void {
    act(() => this.#listeners.get(name)?.({ data: JSON.stringify(data) }));
  }
  fail(): void {
    act(() => this.onerror?.());
  }
  /** The server answered, but with an error. */
  refuse(): void {
    this.readyState = FakeEventSource.CLOSED;
    this.fail();
  }
}
