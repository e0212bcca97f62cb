import { useEffect, type RefObject } from 'react';

/** The edges of a box that scrolls sideways behind which there is more; none where all of it is in view. */
export function edgesWithMore({
  scrollLeft,
  scrollWidth,
  clientWidth,
}: Pick<Element, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>): 'none' | 'left' | 'right' | 'both' {
  const [left, right] = [scrollLeft > 1, scrollLeft + clientWidth < scrollWidth - 1];
  if (left && right) return 'both';
  return left ? 'left' : right ? 'right' : 'none';
}

/** Marks the edges with more content, where `fades-sideways` fades it out, so that users see that it scrolls. */
export function useMoreBeside(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const mark = () => element.setAttribute('data-more', edgesWithMore(element));
    const observer = new ResizeObserver(mark);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', mark, { passive: true });
    mark();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [box]);
}
