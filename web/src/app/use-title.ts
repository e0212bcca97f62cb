import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { showNotFound, showText } from './head';
import { PRODUCT } from './product';

interface More {
  /** What search engines show below the title. */
  readonly text?: string | undefined;
  /** There is no such thing: nothing for search engines. */
  readonly missing?: boolean;
}

/** For a page whose title is known only once its data is there; until then it has the head of its route. */
export function useTitle(title: string | undefined, { text, missing = false }: More = {}): void {
  const router = useRouter();
  useEffect(() => {
    if (!title && !missing) return;
    const show = () => {
      if (title) document.title = `${title} · ${PRODUCT}`;
      if (text) showText(text);
      if (missing) showNotFound();
    };
    show();
    return router.subscribe('onResolved', show);
  }, [router, title, text, missing]);
}
