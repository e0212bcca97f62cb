import { useParams } from '@tanstack/react-router';
import { MemberPosts } from '@/features/forum/member-posts';
import { MemberProfile } from '@/features/forum/member-profile';

export function ForumMemberPage() {
  const { handle } = useParams({ from: '/forum/member/$handle' });
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-6 sm:px-6 sm:py-8">
      <MemberProfile handle={handle} />
      <MemberPosts handle={handle} />
    </div>
  );
}
