import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '@/components/ui/card';
import { cx } from '@/lib/cx';

export interface StartStep {
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly action?: ReactNode;
}

/** Steps to the first commission; hidden once all are done. */
export function GettingStarted({ steps }: { readonly steps: readonly StartStep[] }) {
  const open = steps.filter((step) => !step.done).length;
  if (open === 0) return null;
  return (
    <Card title="Getting started" description={`${steps.length - open} of ${steps.length} steps done`}>
      <ol className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {steps.map((step, index) => (
          <li
            key={step.title}
            className={cx('flex gap-3 rounded-lg border border-line p-3.5', step.done && 'bg-sunken/60')}
          >
            <span
              aria-hidden
              className={cx(
                'grid size-6 shrink-0 place-items-center rounded-full text-[0.8125rem] font-semibold',
                step.done ? 'bg-good-soft text-good' : 'bg-brand-soft text-brand',
              )}
            >
              {step.done ? <Check className="size-3.5" /> : index + 1}
            </span>
            <div className="min-w-0">
              <p className="font-medium">
                {step.title}
                <span className="sr-only">{step.done ? ' (done)' : ' (open)'}</span>
              </p>
              <p className="mt-0.5 text-[0.8125rem] text-muted">{step.text}</p>
              {!step.done && step.action && <div className="mt-2">{step.action}</div>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
