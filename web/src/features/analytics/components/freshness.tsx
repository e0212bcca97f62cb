import { Clock } from 'lucide-react';
import type { Freshness } from '@/lib/api/client';
import { formatDateTime, todayIn, wallClock } from '@/lib/dates';
import { Badge } from '@/components/ui/badge';

interface Props {
  readonly freshness: Freshness | undefined;
  /** Time of the website's newest event; null without any, undefined while it is not known. */
  readonly lastEventAt: string | null | undefined;
  readonly timezone: string;
}

/** When the newest event was, whether all is in, and the time zone of the page. */
export function FreshnessLabel({ freshness, lastEventAt, timezone }: Props) {
  const { lagSeconds = null, stale = false } = freshness ?? {};
  return (
    <p
      className="flex min-h-5 flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted"
      data-testid="freshness"
    >
      {/* The part that needs no answer comes first: nothing moves when the rest comes. */}
      <span>Times in {timezone}</span>
      {lastEventAt !== undefined && (
        <span className="inline-flex items-center gap-1.5 tabular">
          <Clock aria-hidden className="size-3.5" />
          {[lastEventAt ? `Last event ${shortTime(lastEventAt, timezone)}` : 'No events yet', lagText(lagSeconds)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      )}
      {stale && <Badge tone="warn">Applying your latest change…</Badge>}
    </p>
  );
}

/** "19:04" today, with the date before. */
export function shortTime(at: string, timezone: string, now: Date = new Date()): string {
  const local = wallClock(new Date(at).toISOString(), timezone);
  return local.slice(0, 10) === todayIn(timezone, now) ? local.slice(11) : formatDateTime(at, timezone, now);
}

/** Under five seconds nobody waits for anything. */
export function lagText(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds < 5) return 'up to date';
  if (seconds < 120) return `${Math.round(seconds)} s behind`;
  return `${Math.round(seconds / 60)} min behind`;
}
