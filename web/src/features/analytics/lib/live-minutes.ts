import type { LiveData } from '@/lib/api/types';

const MINUTE_MS = 60_000;
const SHOWN = 31;

/** The last thirty minutes by the server's clock, the quiet ones included: the first and the last one are cut. */
export function minuteBars(data: LiveData): { readonly minute: string; readonly events: number }[] {
  const newest = Math.floor(Date.parse(data.asOf) / MINUTE_MS) * MINUTE_MS;
  const counts = new Map(
    data.perMinute.map((item) => [Math.floor(Date.parse(item.minute) / MINUTE_MS) * MINUTE_MS, item.events]),
  );
  return Array.from({ length: SHOWN }, (_, index) => {
    const minute = newest - (SHOWN - 1 - index) * MINUTE_MS;
    return { minute: new Date(minute).toISOString(), events: counts.get(minute) ?? 0 };
  });
}
