import { Badge } from '@/components/ui/badge';
import { formatCount, formatPercent } from '@/lib/format';
import type { Build } from '../api/operations';
import { formatSpan, toneOf, stateLabel } from '../lib/format';
import { highest } from '../lib/highest';

interface Props {
  readonly build: Build;
  readonly name: string;
  readonly compact?: boolean;
}

/** Progress of a build: its phase, one bar over all phases, and the remaining work. */
export function BuildProgress({ build, name, compact = false }: Props) {
  const { progress } = build;
  const isReady = build.state === 'ready';
  const percent = highest(`${name} ${build.generation} ${build.createdAt}`, progress.percent);
  const eta = build.etaSeconds === null ? '' : `, about ${formatSpan(build.etaSeconds)} left`;
  return (
    <div className={compact ? 'w-44 max-w-full' : 'w-full'}>
      <div className="mb-1 flex items-center gap-2 text-xs text-muted">
        <span className="tabular">Gen {build.generation}</span>
        <Badge tone={toneOf(build.state)}>{stateLabel(build.state)}</Badge>
        {!isReady && <span className="ml-auto tabular">{formatPercent(percent, percent === 100 ? 0 : 1)}</span>}
      </div>
      <div
        role="progressbar"
        aria-label={`Rebuild of ${name}, generation ${build.generation}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        className="h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-brand transition-[width]" style={{ width: `${percent}%` }} />
      </div>
      {!compact && (
        <p className="mt-1 text-[0.8125rem] text-muted tabular">
          {formatCount(progress.done)} of {formatCount(progress.of)} {progress.unit}
          {build.rate > 0 && `, ${formatCount(Math.round(build.rate))} a second`}
          {eta}
        </p>
      )}
    </div>
  );
}
