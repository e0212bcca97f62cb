import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { confirmEmail } from '../api/sign-in';

/** A button, so that email programs that prefetch links do not confirm. */
export function ConfirmEmail({ code, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const confirm = useCommand(confirmEmail, { onSuccess: onDone });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        You then sign in with the address that received this link. You’ll be signed out everywhere else.
      </p>
      {confirm.error && <ErrorBox error={confirm.error} />}
      <Button variant="primary" size="lg" busy={confirm.isPending} onClick={() => confirm.mutate(code)}>
        Confirm address
      </Button>
    </div>
  );
}
