import { useMutation } from '@tanstack/react-query';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { toast } from '@/stores/toasts';
import { confirmEmail } from './api';

/** A button, so that a mail program that opens links confirms nothing. */
export function ConfirmEmail({ code, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const confirm = useMutation({
    mutationFn: () => confirmEmail(code),
    onSuccess: () => {
      toast('Address confirmed', 'From now on you sign in with it.');
      onDone();
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">Your account then signs in with the address that this link was mailed to. Your other sessions end.</p>
      {confirm.error && <ErrorBox error={confirm.error} />}
      <Button variant="primary" size="lg" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Confirm address
      </Button>
    </div>
  );
}
