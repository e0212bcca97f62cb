import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { testLink } from '@/lib/api/shared-commands';

type Step = components['schemas']['TestStep'];

const NAMES: Readonly<Record<string, string>> = {
  redirect: 'Link passes the click ID',
  click: 'Click recorded',
  postback: 'Postback accepted',
  attribution: 'Sale attributed',
};
const ICONS = {
  done: <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />,
  failed: <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />,
  skipped: <CircleDashed aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />,
} as const;
const STATES = { done: 'Done', failed: 'Failed', skipped: 'Not reached' } as const;

/** Walks from the link to an attributed sale without counting anything, and shows each step. */
export function TestConversion({ link }: { readonly link: string }) {
  const test = useCommand(testLink);
  return (
    <section aria-labelledby="test-conversion">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 id="test-conversion" className="font-medium">
          Test conversion
        </h3>
        <Button size="sm" busy={test.isPending} onClick={() => test.mutate(link)}>
          Send a test conversion
        </Button>
      </div>
      <p className="mt-1 text-[0.8125rem] text-muted">
        Follows the link, records a click and checks the postback. Test data is never counted.
      </p>
      <div aria-live="polite">
        {test.isPending && <p className="mt-2 text-muted">Testing… this takes a few seconds.</p>}
        {test.data && !test.isPending && (
          <>
            <p className="mt-3 font-medium">
              {test.data.passed
                ? 'Sales through this link are attributed.'
                : 'Sales through this link may not be attributed.'}
            </p>
            <ol aria-label="Steps" className="mt-2 flex flex-col gap-2">
              {test.data.steps.map((step) => (
                <Outcome key={step.name} step={step} />
              ))}
            </ol>
          </>
        )}
      </div>
    </section>
  );
}

function Outcome({ step }: { readonly step: Step }) {
  return (
    <li className="flex gap-2">
      {ICONS[step.state]}
      <div className="min-w-0">
        <p className="font-medium">
          {NAMES[step.name] ?? step.name}
          <span className="sr-only">: {STATES[step.state]}</span>
        </p>
        {step.text && <p className="text-[0.8125rem] break-words text-muted">{step.text}</p>}
        {step.fix && (
          <p className="text-[0.8125rem]">
            <span className="font-medium">How to fix this:</span> {step.fix}
          </p>
        )}
      </div>
    </li>
  );
}
