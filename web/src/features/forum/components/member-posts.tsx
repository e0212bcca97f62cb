import { Link } from '@tanstack/react-router';
import { More } from '@/components/data/more';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { memberPostsQuery } from '../api/members';

/** What a member wrote, the newest first. */
export function MemberPosts({ handle }: { readonly handle: string }) {
  const query = useCursorQuery(memberPostsQuery(handle));
  const rows = query.rows ?? [];
  if (query.error) return null; // the profile above says it
  return (
    <Card title="Posts">
      {query.isPending ? (
        <Skeleton className="h-32" />
      ) : rows.length === 0 ? (
        <p className="text-muted">No posts yet.</p>
      ) : (
        <ul className="-my-3 divide-y divide-line">
          {rows.map((post) => (
            <li key={post.id} className="py-3">
              <Link
                to="/forum/thread/$id"
                params={{ id: post.threadId }}
                search={{ post: post.id }}
                className="block rounded [overflow-wrap:anywhere] hover:underline"
              >
                {post.excerpt}
              </Link>
              <p className="mt-0.5 text-[0.8125rem] text-muted">
                {post.isFirst ? 'Started a thread' : 'Replied'} <When at={post.createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {query.error && <ErrorBox error={query.error} onRetry={query.retry} />}
      <More of={query} className="mt-4" />
    </Card>
  );
}
