import type { ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { asProof, isComplete, NO_FACTOR, type Factor } from '@/components/security/factor';
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

/** What is typed in. */
interface Given {
  readonly password: string;
  readonly factor: Factor;
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
  const attempt = useCommand({ send: ({ password, factor }: Given) => run({ password, ...asProof(factor) }) });
  const refused = attempt.error instanceof ApiError ? attempt.error : null;
  const passwordError = refused?.code === 'wrong_password' ? refused.message : undefined;
  const factorError = refused?.code === 'wrong_code' || refused?.code === 'code_needed' ? refused.message : undefined;
  // The server knows better than what this page last read.
  const needsFactor = ({ factor }: Given) => user.twoFactor || refused?.code === 'code_needed' || factor.text !== '';
  const form = useRequestForm({
    initial: { password: '', factor: NO_FACTOR },
    command: attempt,
    ready: (given) =>
      ready && (!user.hasPassword || given.password !== '') && (!needsFactor(given) || isComplete(given.factor)),
  });
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
        <Form form={form}>
          {/* Tells a password manager whose password this is. */}
          <input type="text" autoComplete="username" hidden readOnly value={user.email} />
          {children}
          {user.hasPassword && (
            <PasswordField
              label="Your password"
              autoComplete="current-password"
              {...form.field('password')}
              error={passwordError}
            />
          )}
          {needsFactor(form.values) && (
            <FactorField value={form.values.factor} onChange={form.set('factor')} error={factorError} />
          )}
          {attempt.error && !passwordError && !factorError && <ErrorBox error={attempt.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <SubmitButton form={form} variant={danger ? 'danger' : 'primary'} disabled={!form.isComplete}>
              {action}
            </SubmitButton>
          </div>
        </Form>
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
