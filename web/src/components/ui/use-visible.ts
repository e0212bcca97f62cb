import { useEffect, useRef, useState, type RefObject } from 'react';

/** True once the element has come near the view, and from then on: what is never seen is never requested. */
export function useVisible<T extends Element>(margin = '200px'): readonly [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    if (visible || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setVisible(true);
      },
      { rootMargin: margin },
    );
    const show = () => setVisible(true);
    observer.observe(element.current);
    window.addEventListener('beforeprint', show);
    return () => {
      observer.disconnect();
      window.removeEventListener('beforeprint', show);
    };
  }, [visible, margin]);
  return [element, visible];
}
