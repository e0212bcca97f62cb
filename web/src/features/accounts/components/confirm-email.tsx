import { useMutation } from '@tanstack/react-query';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { toast } from '@/stores/toasts';
import { confirmEmail } from '../api/sign-in';

/** A button, so that email programs that prefetch links do not confirm. */
export function ConfirmEmail({ code, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const confirm = useMutation({
    mutationFn: () => confirmEmail(code),
    onSuccess: () => {
      toast('Address confirmed', 'Use it to sign in from now on.');
      onDone();
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        You then sign in with the address that received this link. You’ll be signed out everywhere else.
      </p>
      {confirm.error && <ErrorBox error={confirm.error} />}
      <Button variant="primary" size="lg" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Confirm address
      </Button>
    </div>
  );
}
