import { Outlet, useNavigate } from '@tanstack/react-router';
import { messageOf } from '@/lib/api/errors';
import { useSession } from '@/lib/session';
import { toastError } from '@/stores/toasts';
import { AdminLayout } from '@/app/shell/admin-layout';
import { signOut } from '@/features/accounts/api/sign-in';

export function AdminFrame() {
  const navigate = useNavigate();
  const session = useSession();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      toastError('Signed out in this browser only', messageOf(error));
    }
    await navigate({ to: '/login' });
  };
  return (
    session && (
      <AdminLayout user={session.user} onLogout={() => void leave()}>
        <Outlet />
      </AdminLayout>
    )
  );
}
