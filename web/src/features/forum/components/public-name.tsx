import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { userQuery } from '@/lib/api/shared-queries';

/** Under which name a post will stand. */
export function PublicName() {
  const user = useQuery(userQuery).data;
  if (!user) return null;
  return (
    <p className="text-[0.8125rem] text-muted">
      {'Everyone can see that this is from '}
      <span className="font-medium break-words text-text">{user.displayName || user.name}</span>
      {'. '}
      <Link to="/account-settings" className="underline underline-offset-4">
        Change display name
      </Link>
    </p>
  );
}
