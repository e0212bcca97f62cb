// States, spans and sizes as words.
import type { Tone } from '@/components/ui/badge';
import { formatCount } from '@/lib/format';
import type { Action, Build, Projection } from '../api/operations';

const TONES: Readonly<Record<string, Tone>> = {
  live: 'good',
  ready: 'brand',
  building: 'brand',
  catching_up: 'brand',
  paused: 'warn',
  failed: 'bad',
  retired: 'neutral',
  cancelled: 'neutral',
  running: 'good',
  done: 'good',
  waiting: 'warn',
  refused: 'bad',
  backoff: 'bad',
  starting: 'warn',
  stopping: 'warn',
  stopped: 'neutral',
  open: 'warn',
  retried: 'good',
  skipped: 'neutral',
  superseded: 'neutral',
};

export const toneOf = (state: string): Tone => TONES[state] ?? 'neutral';
export const stateLabel = (state: string): string => {
  const text = state.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const LABELS: Readonly<Record<Action, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  rebuild: 'Rebuild',
  verify: 'Compare',
  promote: 'Promote',
  rollback: 'Roll back',
  cancel: 'Cancel rebuild',
};

/** The generation beside the live one, if one is under way. */
export const candidateOf = (projection: Pick<Projection, 'builds' | 'liveGeneration'>): Build | undefined =>
  projection.builds.find(
    (build) =>
      build.generation !== projection.liveGeneration &&
      !build.isDropped &&
      ['building', 'catching_up', 'ready'].includes(build.pausedIn ?? build.state),
  );

/** Operations that are possible now; the server checks again. */
export function allowed(projection: Projection): readonly Action[] {
  const candidate = candidateOf(projection);
  const ofFamily = projection.family !== null && candidate?.sourceGeneration === candidate?.generation;
  const actions: Action[] = [];
  if (projection.family === null) actions.push(['paused', 'failed'].includes(projection.state) ? 'resume' : 'pause');
  if (!candidate) {
    actions.push('rebuild');
    if (projection.builds.some((build) => build.state === 'retired' && !build.isDropped)) actions.push('rollback');
  } else if (!ofFamily) {
    if (candidate.state === 'ready') actions.push('verify', 'promote');
    actions.push('cancel');
  }
  return actions;
}

export function formatSpan(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.round((seconds % 86_400) / 3600)} h`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const formatLag = (events: number | null): string => (events === null ? 'Unknown' : formatCount(events));
