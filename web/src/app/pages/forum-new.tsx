import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSession } from '@/lib/session';
import { NewThread } from '@/features/forum/new-thread';
import { written } from '@/features/forum/search';
import { Page } from './page';

export function ForumNewPage() {
  const navigate = useNavigate();
  const session = useSession();
  const category = useSearch({ from: '/member/forum/new' }).category ?? null;
  return (
    <Page title="Start New Thread" subtitle="Everybody can read it; members can reply" narrow>
      <NewThread
        key={session?.user.id ?? ''} // whoever signs in meanwhile has drafts of their own
        category={category}
        onStarted={(id) => void navigate({ to: '/forum/thread/$id', params: { id }, replace: true })}
        onCancel={() => void navigate({ to: '/forum', search: written({ category }) })}
      />
    </Page>
  );
}
