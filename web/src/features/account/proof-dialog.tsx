import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { asProof, isComplete, NO_FACTOR } from '@/components/security/factor';
import { FactorField } from '@/components/security/factor-field';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { PasswordField } from '@/components/ui/password-field';
import { ApiError } from '@/lib/api/errors';
import { useSession } from '@/lib/session';

export interface Proof {
  readonly password: string;
  readonly code?: string;
  readonly recoveryCode?: string;
}

interface Props {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly twoFactor: boolean;
  /** Also for accounts that sign in with a provider alone: the server then wants a sign-in of just now. */
  readonly passwordOptional?: boolean;
  /** What stands above the proof; `ready` false keeps the button shut. */
  readonly children?: ReactNode;
  readonly ready?: boolean;
  readonly run: (proof: Proof) => Promise<void>;
  readonly onClose: () => void;
}

/** For what only the account's owner may do: the password again, and a code where there is a second factor. */
export function ProofDialog({ title, description, action, danger = false, twoFactor, passwordOptional = false, children, ready = true, run, onClose }: Props) {
  const session = useSession();
  const [password, setPassword] = useState('');
  const [factor, setFactor] = useState(NO_FACTOR);
  const attempt = useMutation({ mutationFn: () => run({ password, ...asProof(factor) }) });
  const refused = attempt.error instanceof ApiError ? attempt.error : null;
  const passwordError = refused?.code === 'wrong_password' ? refused.message : undefined;
  const factorError = refused?.code === 'wrong_code' || refused?.code === 'code_needed' ? refused.message : undefined;
  // The server knows better than what this page last read.
  const asksFactor = twoFactor || refused?.code === 'code_needed' || factor.text !== '';
  const complete = ready && (passwordOptional || password !== '') && (!asksFactor || isComplete(factor));
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (complete && !attempt.isPending) attempt.mutate();
        }}
      >
        {/* Tells a password manager whose password this is. */}
        <input type="text" autoComplete="username" hidden readOnly value={session?.user.email ?? ''} />
        {children}
        <PasswordField
          label="Your password" autoComplete="current-password" hint={passwordOptional ? 'Leave this empty if your account has no password.' : undefined}
          error={passwordError} value={password} onChange={(event) => setPassword(event.target.value)}
        />
        {asksFactor && <FactorField value={factor} onChange={setFactor} error={factorError} />}
        {attempt.error && !passwordError && !factorError && <ErrorBox error={attempt.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={attempt.isPending} disabled={!complete}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
