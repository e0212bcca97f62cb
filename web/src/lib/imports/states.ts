// Where an import stands, in words.
import type { Tone } from '@/components/ui/badge';
import type { components } from '@/lib/api/schema';

export type ImportState = components['schemas']['ImportState'];

export const STATES: Readonly<Record<ImportState, { readonly label: string; readonly tone: Tone }>> = {
  reading: { label: 'Reading', tone: 'brand' },
  asking: { label: 'Needs an answer', tone: 'warn' },
  ready: { label: 'Preview', tone: 'warn' },
  applying: { label: 'Applying', tone: 'brand' },
  applied: { label: 'Applied', tone: 'good' },
  undoing: { label: 'Undoing', tone: 'brand' },
  undone: { label: 'Undone', tone: 'neutral' },
  cancelled: { label: 'Canceled', tone: 'neutral' },
  failed: { label: 'Failed', tone: 'bad' },
};

/** The server works on it: its state changes without a command. */
export const isRunning = (state: ImportState): boolean =>
  state === 'reading' || state === 'applying' || state === 'undoing';

/** How the file is read can be corrected. */
export const isCorrectable = (state: ImportState): boolean =>
  state === 'asking' || state === 'ready' || state === 'failed';

/** Its rows are stored: those of an import that has ended without counting are deleted. */
export const hasRows = (state: ImportState): boolean =>
  state === 'ready' || state === 'applying' || state === 'applied' || state === 'undoing';
