import { browserTimezone, formatZoned } from '@/lib/dates';
import { useFromNow } from '@/lib/dates/now';
import { relativeTime } from '@/lib/dates/relative-time';

/** How long ago; the moment itself on hover. */
export function When({ at }: { readonly at: string }) {
  const zone = browserTimezone();
  const words = useFromNow((now) => relativeTime(at, now, zone));
  return (
    <time dateTime={at} title={formatZoned(at, zone)} className="whitespace-nowrap">
      {words}
    </time>
  );
}
