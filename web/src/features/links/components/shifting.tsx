import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { SetShifting } from '@/lib/api/request-schemas';
import type { LinkSplit } from '@/lib/api/types';
import { setShifting } from '../api/split';

/** Whether the weights of a split follow its results, and the limits of that. */
export function Shifting({ link, split }: { readonly link: string; readonly split: LinkSplit }) {
  const { isOn, minShare, maxStep } = split.shifting;
  const turnOff = useCommand(setShifting(link));
  const form = useRequestForm({
    request: SetShifting,
    initial: { minShare: String(minShare), maxStep: String(maxStep) },
    follow: true,
    rules: { minShare: { required: true }, maxStep: { required: true } },
    command: useCommand(setShifting(link)),
    input: (values) => ({ isOn: true, minShare: Number(values.minShare), maxStep: Number(values.maxStep) }),
  });
  return (
    <section aria-label="Shift weights by results" className="rounded-lg border border-line px-3 py-2.5">
      <h4 className="flex items-center gap-2 font-medium">
        Shift weights by results
        <Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>
      </h4>
      <p className="mt-1.5 mb-3 text-[0.8125rem] text-muted">
        {isOn && split.winner !== null
          ? 'Paused: the test is over. Resume it to go on.'
          : 'Once a day, the variant that certainly earns more per click gets a larger share. Weights you set by hand turn this off.'}
      </p>
      <Form form={form} className="flex flex-wrap items-end gap-2">
        <TextField
          className="min-w-36 flex-1"
          label="Each variant keeps (%)"
          type="number"
          {...form.field('minShare')}
        />
        <TextField className="min-w-36 flex-1" label="Shift a day (points)" type="number" {...form.field('maxStep')} />
        <SubmitButton form={form} variant={isOn ? 'outline' : 'primary'} disabled={isOn && !form.isDirty}>
          {isOn ? 'Save limits' : 'Turn on'}
        </SubmitButton>
        {isOn && (
          <Button busy={turnOff.isPending} onClick={() => turnOff.mutate({ isOn: false, minShare, maxStep })}>
            Turn off
          </Button>
        )}
        <FormError form={form} className="basis-full" />
      </Form>
    </section>
  );
}
