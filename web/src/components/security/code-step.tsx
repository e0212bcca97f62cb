import { Form, SubmitButton } from '../form/form';
import { useRequestForm } from '../form/use-request-form';
import { Button } from '../ui/button';
import { CheckNotice } from './check-notice';
import { isComplete, NO_FACTOR, type Factor } from './factor';
import { FactorField } from './factor-field';

interface Props {
  readonly busy: boolean;
  readonly onFactor: (factor: Factor) => void;
  readonly onBack: () => void;
}

/** The second step of a sign-in. Anything but a whole code is ignored. */
export function CodeStep({ busy, onFactor, onBack }: Props) {
  const form = useRequestForm({
    initial: { factor: NO_FACTOR },
    ready: ({ factor }) => isComplete(factor),
    onSubmit: ({ factor }) => onFactor(factor),
  });
  return (
    <Form form={form}>
      <FactorField value={form.values.factor} onChange={form.set('factor')} focused />
      <SubmitButton form={form} size="lg" busy={busy} disabled={!form.isComplete}>
        Verify
      </SubmitButton>
      <CheckNotice />
      <Button variant="ghost" onClick={onBack}>
        Back to Login
      </Button>
    </Form>
  );
}
