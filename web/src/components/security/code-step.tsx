import { useState } from 'react';
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
  const [factor, setFactor] = useState(NO_FACTOR);
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete(factor)) onFactor(factor);
      }}
    >
      <FactorField value={factor} onChange={setFactor} focused />
      <Button type="submit" variant="primary" size="lg" busy={busy} disabled={!isComplete(factor)}>
        Verify
      </Button>
      <CheckNotice />
      <Button variant="ghost" onClick={onBack}>
        Back to Login
      </Button>
    </form>
  );
}
