import { Link } from '@tanstack/react-router';
import { Badge } from '@/components/ui/badge';
import type { Author } from '../lib/types';

/** The author with a link to the profile; deleted members have none. */
export function MemberName({ member, withRole = false }: { readonly member: Author; readonly withRole?: boolean }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {member.handle ? (
        <Link
          to="/forum/member/$handle"
          params={{ handle: member.handle }}
          className="rounded font-medium text-text hover:underline"
        >
          {member.name}
        </Link>
      ) : (
        <span className="text-muted">{member.name}</span>
      )}
      {withRole && member.role === 'moderator' && (
        <>
          {' '}
          <Badge tone="brand">Moderator</Badge>
        </>
      )}
    </span>
  );
}
