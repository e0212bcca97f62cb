import { useMutation } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { api, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Account } from '@/lib/api/types';
import { toast, toastError } from '@/stores/toasts';

/** For an account that signs in with a provider alone: the first password comes by the link that replaces a forgotten one. */
export function SetPassword({ user }: { readonly user: Account }) {
  const ask = useMutation({
    mutationFn: () => done(api.POST('/api/platform/password/forgot', { body: { email: user.email } })),
    onSuccess: () => toast('Check your email', `We sent a link to set a password to ${user.email}.`),
    onError: (error) => toastError('Failed to send the link', messageOf(error)),
  });
  return (
    <Button busy={ask.isPending} onClick={() => ask.mutate()}>
      {!ask.isPending && <Mail aria-hidden className="size-4" />}
      Set a password by email
    </Button>
  );
}
