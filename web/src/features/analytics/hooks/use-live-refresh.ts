import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Answer } from '@/lib/api/client';
import { watchLive } from '@/lib/api/live';
import type { Overview } from '@/lib/api/types';
import { refreshWebsite } from '../api/analytics';

const AT_MOST_EVERY_MS = 4000;
const JUST_NOW_MS = 10_000;

/** What arrives on the live stream refreshes the cards, at most every four seconds. */
export function useLiveRefresh(websiteId: string, enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    let shown: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Date.now(); // the cards are being read just now
    const refresh = (newest: string | undefined) => {
      timer = undefined;
      last = Date.now();
      if (!isShown(client, websiteId, newest)) void refreshWebsite(client, websiteId);
    };
    const stop = watchLive(websiteId, ({ data }) => {
      if (!data || data.asOf === shown) return;
      const isFirst = shown === undefined;
      shown = data.asOf;
      // The cards may have been loaded before the events of the first snapshot.
      const newest = data.recent[0];
      const isOld = !newest || Date.parse(newest.at) < Date.now() - JUST_NOW_MS;
      if (timer || (isFirst && isOld)) return;
      timer = setTimeout(
        () => refresh(isFirst ? newest?.at : undefined),
        Math.max(0, last + AT_MOST_EVERY_MS - Date.now()),
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client, websiteId, enabled]);
}

/** Whether the cards have been read with this event. */
function isShown(client: QueryClient, websiteId: string, at: string | undefined): boolean {
  if (!at) return false;
  const overviews = client
    .getQueryCache()
    .findAll({ queryKey: ['analytics', 'overview', { websiteId }], type: 'active' });
  const last = overviews.map(({ state }) => (state.data as Answer<Overview> | undefined)?.data.lastEventAt);
  return last.length > 0 && last.every((time) => !!time && Date.parse(time) >= Date.parse(at));
}
