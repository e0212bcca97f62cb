import { Mail } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import type { Account } from '@/lib/api/types';
import { requestPasswordLink } from '@/lib/api/shared-commands';

/** For an account that signs in with a provider alone: the first password comes by the link that replaces a forgotten one. */
export function SetPassword({ user }: { readonly user: Account }) {
  const ask = useCommand(requestPasswordLink);
  return (
    <Button busy={ask.isPending} onClick={() => ask.mutate(user.email)}>
      {!ask.isPending && <Mail aria-hidden className="size-4" />}
      Set a password by email
    </Button>
  );
}
