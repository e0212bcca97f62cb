import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSession } from '@/lib/session';
import { NewThread } from '@/features/forum/components/new-thread';
import { written } from '@/features/forum/lib/search';
import { Page } from './page';

export function ForumNewPage() {
  const navigate = useNavigate();
  const session = useSession();
  const category = useSearch({ from: '/member/forum/new' }).category ?? null;
  return (
    <Page title="Start New Thread" subtitle="Everyone can read it; members can reply" narrow>
      <NewThread
        key={session?.user.id ?? ''} // drafts belong to one account
        category={category}
        onStarted={(id) => void navigate({ to: '/forum/thread/$id', params: { id }, replace: true })}
        onCancel={() => void navigate({ to: '/forum', search: written({ category }) })}
      />
    </Page>
  );
}
