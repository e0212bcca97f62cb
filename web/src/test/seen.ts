import { vi } from 'vitest';

/** An observer of the view to which everything is in it. */
export class Seen {
  private readonly tell: IntersectionObserverCallback;
  constructor(tell: IntersectionObserverCallback) {
    this.tell = tell;
  }
  observe(target: Element) {
    this.tell([{ isIntersecting: true, target } as IntersectionObserverEntry], this as unknown as IntersectionObserver);
  }
  unobserve() {}
  disconnect() {}
}

export const seeEverything = () => vi.stubGlobal('IntersectionObserver', Seen);
