import { useEffect, useRef, type RefObject } from 'react';

/** A section that an address can name. Settings come after the page: the browser has looked for the address's part by
 *  then. `isRead`: the section has its height. */
export function useAnchor(anchor: string, isRead = true): RefObject<HTMLElement | null> {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isRead && window.location.hash === `#${anchor}`) section.current?.scrollIntoView({ block: 'center' });
  }, [anchor, isRead]);
  return section;
}
