import type { Tone } from '@/components/ui/badge';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long until an answer is due (spec §9: replies within 24 hours), and how much that hurries. */
export function timeLeft(answerBy: string, now: number): { readonly text: string; readonly tone: Tone } {
  const left = Date.parse(answerBy) - now;
  const size = Math.abs(left);
  const hours = Math.floor(size / HOUR);
  const long =
    hours >= 72 ? `${Math.floor(hours / 24)} days` : hours > 0 ? `${hours} h` : `${Math.floor(size / MINUTE)} min`;
  if (left < 0) return { text: `${long} late`, tone: 'bad' };
  return { text: `${long} left`, tone: left < 6 * HOUR ? 'warn' : 'neutral' };
}
