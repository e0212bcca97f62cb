import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';

export interface StartStep {
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly action?: ReactNode;
}

interface Props {
  readonly steps: readonly StartStep[];
  readonly onDismiss: () => void;
}

/** The open steps to the first commission, and in one line what is done; hidden once all are done. */
export function GettingStarted({ steps, onDismiss }: Props) {
  const open = steps.filter((step) => !step.done);
  const done = steps.filter((step) => step.done);
  if (open.length === 0) return null;
  return (
    <Card
      title="Getting started"
      description={`${done.length} of ${steps.length} steps done`}
      actions={
        <Button variant="ghost" size="sm" onClick={onDismiss}>
          <X aria-hidden className="size-3.5" />
          Dismiss
        </Button>
      }
    >
      <ol className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {open.map((step) => (
          <li key={step.title} className="flex gap-3 rounded-lg border border-line p-3.5">
            <span
              aria-hidden
              className="grid size-6 shrink-0 place-items-center rounded-full bg-brand-soft text-[0.8125rem] font-semibold text-brand"
            >
              {steps.indexOf(step) + 1}
            </span>
            <div className="min-w-0">
              <p className="font-medium">{step.title}</p>
              <p className="mt-0.5 text-[0.8125rem] text-muted">{step.text}</p>
              {step.action && <div className="mt-2">{step.action}</div>}
            </div>
          </li>
        ))}
      </ol>
      {done.length > 0 && (
        <ul aria-label="Steps done" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-muted">
          {done.map((step) => (
            <li key={step.title} className="flex items-center gap-1.5">
              <Check aria-hidden className="size-3.5 text-good" />
              <span>
                {step.title}
                <span className="sr-only"> (done)</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
