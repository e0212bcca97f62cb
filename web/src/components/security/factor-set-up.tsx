import { ErrorBox } from '../data/states';
import { Form, SubmitButton } from '../form/form';
import { useRequestForm } from '../form/use-request-form';
import { Button } from '../ui/button';
import { CopyField } from '../ui/copy-field';
import { CODE_LENGTH } from './factor';
import { CodeField } from './factor-field';

export interface FactorToSetUp {
  /** An image as a `data:` address. */
  readonly qrCode: string;
  readonly secret: string;
}

interface Props {
  readonly factor: FactorToSetUp;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onCode: (code: string) => void;
  readonly later?: { readonly label: string; readonly onSelect: () => void };
}

/** Scan or type the secret, then prove it with the first code. */
export function FactorSetUp({ factor, busy, error, onCode, later }: Props) {
  const form = useRequestForm({
    initial: { code: '' },
    ready: ({ code }) => code.length === CODE_LENGTH,
    onSubmit: ({ code }) => onCode(code),
  });
  return (
    <Form form={form}>
      <p>Scan this with an authenticator app, then enter the code it displays.</p>
      {/* White in both themes: cameras need the contrast. */}
      <img
        src={factor.qrCode}
        alt="QR code for your authenticator app"
        className="mx-auto size-40 rounded-lg border border-line bg-white p-1"
      />
      <CopyField label="Secret" value={factor.secret} multiline />
      <CodeField value={form.values.code} onChange={form.set('code')} />
      {Boolean(error) && <ErrorBox error={error} />}
      <SubmitButton form={form} size="lg" busy={busy} disabled={!form.isComplete}>
        Confirm
      </SubmitButton>
      {later && (
        <Button variant="ghost" onClick={later.onSelect}>
          {later.label}
        </Button>
      )}
    </Form>
  );
}
