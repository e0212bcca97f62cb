import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { isMissing } from '@/lib/api/errors';
import { MemberPosts } from '@/features/forum/components/member-posts';
import { MemberProfile } from '@/features/forum/components/member-profile';
import { memberQuery } from '@/features/forum/api/members';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';

export function ForumMemberPage() {
  const { handle } = useParams({ from: '/forum/member/$handle' });
  const member = useQuery(memberQuery(handle));
  const missing = isMissing(member.error);
  useTitle(member.data?.name, {
    text: member.data && `${member.data.name} in the forum for affiliate marketers.`,
    missing,
  });
  if (missing) return <NotFound />;
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-6 sm:px-6 sm:py-8">
      <MemberProfile handle={handle} />
      <MemberPosts handle={handle} />
    </div>
  );
}
