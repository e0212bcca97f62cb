import { useEffect, useRef, type RefObject } from 'react';

/** For a row that scrolls sideways where it is too narrow: the entry that `selector` finds is in the middle of it. */
export function useInView<T extends HTMLElement>(selector: string, current: string): RefObject<T | null> {
  const row = useRef<T>(null);
  useEffect(() => {
    const entry = row.current?.querySelector(selector);
    if (!row.current || !entry) return;
    const [outer, inner] = [row.current.getBoundingClientRect(), entry.getBoundingClientRect()];
    row.current.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [selector, current]);
  return row;
}
