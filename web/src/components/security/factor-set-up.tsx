import { useState } from 'react';
import { ErrorBox } from '../data/states';
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
  const [code, setCode] = useState('');
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === CODE_LENGTH) onCode(code);
      }}
    >
      <p>Scan this with an authenticator app, then enter the code it displays.</p>
      {/* White in both themes: cameras need the contrast. */}
      <img
        src={factor.qrCode}
        alt="QR code for your authenticator app"
        className="mx-auto size-40 rounded-lg border border-line bg-white p-1"
      />
      <CopyField label="Secret" value={factor.secret} multiline />
      <CodeField value={code} onChange={setCode} />
      {Boolean(error) && <ErrorBox error={error} />}
      <Button type="submit" variant="primary" size="lg" busy={busy} disabled={code.length !== CODE_LENGTH}>
        Confirm
      </Button>
      {later && (
        <Button variant="ghost" onClick={later.onSelect}>
          {later.label}
        </Button>
      )}
    </form>
  );
}
