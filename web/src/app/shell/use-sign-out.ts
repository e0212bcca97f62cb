import { useNavigate } from '@tanstack/react-router';
import { signOut } from '@/features/accounts/api/sign-in';
import { messageOf } from '@/lib/api/errors';
import { toastError } from '@/stores/toasts';

/** Ends the session, here even if the server cannot be reached, and leads to sign-in. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      toastError('Signed out in this browser only', messageOf(error));
    }
    await navigate({ to: '/login' });
  };
}
