import { useState, type ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { asProof, isComplete, NO_FACTOR } from '@/components/security/factor';
import { FactorField } from '@/components/security/factor-field';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Account } from '@/lib/api/types';
import { SetPassword } from './set-password';

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
  readonly user: Account;
  /** Accounts without a password may proceed: the server then requires a recent sign-in. */
  readonly withoutPassword?: boolean;
  /** Content above the password field; `ready` false disables the button. */
  readonly children?: ReactNode;
  readonly ready?: boolean;
  readonly run: (proof: Proof) => Promise<void>;
  readonly onClose: () => void;
}

/** For what only the account's owner may do: the password again, and a code where there is a second factor. */
export function ProofDialog({
  title,
  description,
  action,
  danger = false,
  user,
  withoutPassword = false,
  children,
  ready = true,
  run,
  onClose,
}: Props) {
  const [password, setPassword] = useState('');
  const [factor, setFactor] = useState(NO_FACTOR);
  const attempt = useCommand({ send: () => run({ password, ...asProof(factor) }) });
  const refused = attempt.error instanceof ApiError ? attempt.error : null;
  const passwordError = refused?.code === 'wrong_password' ? refused.message : undefined;
  const factorError = refused?.code === 'wrong_code' || refused?.code === 'code_needed' ? refused.message : undefined;
  // The server knows better than what this page last read.
  const needsFactor = user.twoFactor || refused?.code === 'code_needed' || factor.text !== '';
  const complete = ready && (!user.hasPassword || password !== '') && (!needsFactor || isComplete(factor));
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
    >
      {!user.hasPassword && !withoutPassword ? (
        <NoPassword user={user} onClose={onClose} />
      ) : (
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (complete && !attempt.isPending) attempt.mutate();
          }}
        >
          {/* Tells a password manager whose password this is. */}
          <input type="text" autoComplete="username" hidden readOnly value={user.email} />
          {children}
          {user.hasPassword && (
            <PasswordField
              label="Your password"
              autoComplete="current-password"
              error={passwordError}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
          {needsFactor && <FactorField value={factor} onChange={setFactor} error={factorError} />}
          {attempt.error && !passwordError && !factorError && <ErrorBox error={attempt.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={attempt.isPending} disabled={!complete}>
              {action}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function NoPassword({ user, onClose }: { readonly user: Account; readonly onClose: () => void }) {
  return (
    <>
      <p>Set a password to continue. You currently sign in with a provider.</p>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SetPassword user={user} />
      </div>
    </>
  );
}
