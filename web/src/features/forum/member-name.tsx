import { Link } from '@tanstack/react-router';
import { Badge } from '@/components/ui/badge';
import type { Author } from './types';

/** Who wrote it, with a way to their profile; a deleted member has none. */
export function MemberName({ member, withRole = false }: { readonly member: Author; readonly withRole?: boolean }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      {member.handle ? (
        <Link to="/forum/member/$handle" params={{ handle: member.handle }} className="truncate rounded font-medium text-text hover:underline">
          {member.name}
        </Link>
      ) : (
        <span className="truncate text-muted">{member.name}</span>
      )}
      {withRole && member.role === 'moderator' && <Badge tone="brand">Moderator</Badge>}
    </span>
  );
}
