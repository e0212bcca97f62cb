import { Outlet } from '@tanstack/react-router';
import { useSession } from '@/lib/session';
import { AdminLayout } from '@/app/shell/admin-layout';
import { useSignOut } from '@/app/shell/use-sign-out';

export function AdminFrame() {
  const leave = useSignOut();
  const session = useSession();
  return (
    session && (
      <AdminLayout user={session.user} onLogout={() => void leave()}>
        <Outlet />
      </AdminLayout>
    )
  );
}
