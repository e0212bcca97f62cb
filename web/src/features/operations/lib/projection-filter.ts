// Which projections the list shows.
import type { Projection } from '../api/operations';

export interface ProjectionFilter {
  readonly search: string;
  readonly unhealthy: boolean;
}

export const EVERY_PROJECTION: ProjectionFilter = { search: '', unhealthy: false };

/** A live projection that is further behind is not up to date; readers notice. */
const BEHIND_S = 10;

/** Why a projection needs attention; null: it does not. */
export function troubleOf(row: Projection): string | null {
  if (row.state !== 'live') return row.state;
  if (row.builds.some((build) => build.state === 'failed')) return 'failed rebuild';
  if (row.builds.some((build) => build.state === 'paused')) return 'paused rebuild';
  if (row.isRetrying || row.error) return 'retrying';
  if (row.lagSeconds > BEHIND_S) return 'behind';
  if (row.differs) return 'differs';
  return row.openDeadLetters > 0 ? 'dead letters' : null;
}

export function filtered(rows: readonly Projection[], { search, unhealthy }: ProjectionFilter): readonly Projection[] {
  const words = search.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (!unhealthy || troubleOf(row) !== null) &&
      [row.name, row.kind, row.family ?? '', row.state].some((text) => text.toLowerCase().includes(words)),
  );
}
