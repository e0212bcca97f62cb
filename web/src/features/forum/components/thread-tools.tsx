// What members and moderators do with a whole thread.
import { Bell, BellOff, Shield } from 'lucide-react';
import { lazy, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateMenu } from '@/components/ui/late-menu';
import { useCommand } from '@/lib/api/command';
import type { Moderation } from '../lib/moderation';
import { followThread } from '../api/threads';
import { ModerateDialog } from './dialogs';
import type { Category, ThreadInFull } from '../lib/types';

const ModerateMenu = lazy(() => import('./moderate-menu').then((module) => ({ default: module.ModerateMenu })));

interface Props {
  readonly thread: ThreadInFull;
  readonly categories: readonly Category[];
  readonly signedIn: boolean;
  readonly moderator: boolean;
  readonly onSignIn: () => void;
}

export function ThreadTools({ thread, categories, signedIn, moderator, onSignIn }: Props) {
  const [asked, setAsked] = useState<Moderation | null>(null);
  const follow = useCommand(followThread(thread));
  const FollowIcon = thread.followed ? BellOff : Bell;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button busy={follow.isPending} onClick={signedIn ? () => follow.mutate() : onSignIn}>
        {!follow.isPending && <FollowIcon aria-hidden className="size-4" />}
        {thread.followed ? 'Unfollow' : 'Follow'}
      </Button>
      {moderator && (
        <LateMenu
          trigger={
            <Button>
              <Shield aria-hidden className="size-4" />
              Moderate
            </Button>
          }
        >
          {(trigger) => <ModerateMenu trigger={trigger} thread={thread} onAsk={setAsked} />}
        </LateMenu>
      )}
      {asked && <ModerateDialog kind={asked} thread={thread} categories={categories} onClose={() => setAsked(null)} />}
    </div>
  );
}
