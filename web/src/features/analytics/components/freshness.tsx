import { Clock } from 'lucide-react';
import type { Freshness } from '@/lib/api/client';
import { formatTime } from '@/lib/dates';
import { Badge } from '@/components/ui/badge';

/** Data freshness, and the time zone of the days. */
export function FreshnessLabel({
  freshness,
  timezone,
}: {
  readonly freshness: Freshness | undefined;
  readonly timezone: string;
}) {
  const { asOf = null, lagSeconds = null, stale = false } = freshness ?? {};
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted" data-testid="freshness">
      <Clock aria-hidden className="size-3.5" />
      {asOf && <span className="tabular">Data as of {formatTime(asOf, timezone)}</span>}
      {lagSeconds !== null && <span className="tabular">{lagText(lagSeconds)}</span>}
      <span>Times in {timezone}</span>
      {stale && <Badge tone="warn">Your latest change is still being processed</Badge>}
    </p>
  );
}

export function lagText(seconds: number): string {
  if (seconds === 0) return 'Up to date';
  if (seconds < 1) return 'under 1 s behind';
  if (seconds < 120) return `${Math.round(seconds)} s behind`;
  return `${Math.round(seconds / 60)} min behind`;
}
