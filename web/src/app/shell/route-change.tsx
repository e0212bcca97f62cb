// Browsers do not announce a route change in a single-page app: this sets title, focus and announcement.
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { headOf, showHead } from '../head';

export function RouteChange() {
  const router = useRouter();
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    const show = () => showHead(headOf(router.state.matches), router.state.location.pathname);
    show();
    return router.subscribe('onResolved', (event) => {
      show();
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
