import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PRODUCT } from './product';

/** For a page whose title is known only once its data is there; until then it has the one of its route. */
export function useTitle(title: string | undefined): void {
  const router = useRouter();
  useEffect(() => {
    if (!title) return;
    const show = () => {
      document.title = `${title} · ${PRODUCT}`;
    };
    show();
    return router.subscribe('onResolved', show);
  }, [router, title]);
}
