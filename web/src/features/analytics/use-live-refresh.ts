import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { watchLive } from '@/lib/live';
import { refreshWebsite } from './queries';

const AT_MOST_EVERY_MS = 5000;

/** New events on the live stream refresh the cards: at once, then at most every five seconds. */
export function useLiveRefresh(websiteId: string, enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    let newest: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Date.now();
    const refresh = () => {
      timer = undefined;
      last = Date.now();
      void refreshWebsite(client, websiteId);
    };
    const stop = watchLive(websiteId, ({ data }) => {
      const id = data?.recent[0]?.id;
      if (!data || id === newest) return;
      const isFirst = newest === undefined;
      newest = id;
      if (isFirst || timer) return;
      timer = setTimeout(refresh, Math.max(0, last + AT_MOST_EVERY_MS - Date.now()));
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client, websiteId, enabled]);
}
