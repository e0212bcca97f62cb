// Comparison of two numbers.
export interface Change {
  /** Relative change in percent; null when there was nothing before. */
  readonly percent: number | null;
  readonly direction: 'up' | 'down' | 'same';
  readonly meaning: 'good' | 'bad' | 'neutral';
}

export function change(current: number, previous: number, goodWhen: 'up' | 'down' = 'up'): Change {
  const difference = isNothing(current, previous) ? 0 : current - previous;
  const direction = difference > 0 ? 'up' : difference < 0 ? 'down' : 'same';
  const meaning = direction === 'same' ? 'neutral' : direction === goodWhen ? 'good' : 'bad';
  const percent = previous === 0 ? (current === 0 ? 0 : null) : (difference / Math.abs(previous)) * 100;
  return { percent, direction, meaning };
}

/** What would read 0.0 % is no change. */
const SMALLEST_PERCENT = 0.05;

const isNothing = (current: number, previous: number): boolean =>
  previous !== 0 && Math.abs((current - previous) / previous) * 100 < SMALLEST_PERCENT;

export function describeChange({ percent, direction }: Change): string {
  if (percent === null) return 'new';
  const size = Math.abs(percent);
  const text = size >= 1000 ? `${Math.round(size).toLocaleString('en-US')}%` : `${size.toFixed(1)}%`;
  return direction === 'down' ? `−${text}` : direction === 'up' ? `+${text}` : text;
}
