// How a connection to a network goes, in words.
import type { Tone } from '@/components/ui/badge';
import type { NetworkConnection } from '../api/connections';

export type ConnectionState = 'refused' | 'reading' | 'failing' | 'connected';
type Facts = Pick<NetworkConnection, 'isRefused' | 'isPulling' | 'problem' | 'nextAt'>;

export const CONNECTION_STATES: Readonly<Record<ConnectionState, { readonly label: string; readonly tone: Tone }>> = {
  refused: { label: 'Credentials rejected', tone: 'bad' },
  reading: { label: 'Reading', tone: 'brand' },
  failing: { label: 'Last read failed', tone: 'warn' },
  connected: { label: 'Connected', tone: 'good' },
};

/** `now`: milliseconds since 1970. A pull that failed stays begun until its next call. */
export function connectionStateOf({ isRefused, isPulling, problem, nextAt }: Facts, now: number): ConnectionState {
  if (isRefused) return 'refused';
  if (nextAt !== null && ((isPulling && !problem) || Date.parse(nextAt) <= now)) return 'reading';
  return problem ? 'failing' : 'connected';
}
