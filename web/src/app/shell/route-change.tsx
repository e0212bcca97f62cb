// A route change in a single-page app tells nobody: title, focus and the announcement are set here.
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { PRODUCT } from '../product';

export function RouteChange() {
  const router = useRouter();
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    const title = () => {
      const own = router.state.matches.findLast((match) => match.staticData.title)?.staticData.title;
      return own ? `${own} · ${PRODUCT}` : `${PRODUCT} · Exact, live affiliate analytics`;
    };
    document.title = title();
    return router.subscribe('onResolved', (event) => {
      document.title = title();
      if (!event.fromLocation || !event.pathChanged) return;
      document.getElementById('main')?.focus({ preventScroll: true });
      setAnnounced(document.title);
    });
  }, [router]);
  return (
    <p aria-live="polite" className="sr-only" data-testid="route-announcer">
      {announced}
    </p>
  );
}
