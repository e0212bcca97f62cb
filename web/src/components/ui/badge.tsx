import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';

const TONES = {
  neutral: 'bg-sunken text-muted',
  brand: 'bg-brand-soft text-brand',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const;
export type Tone = keyof typeof TONES;

export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex w-max max-w-full shrink-0 items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium [overflow-wrap:anywhere]',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
