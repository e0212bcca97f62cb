// What members and moderators do with a whole thread.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, Shield } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateMenu } from '@/components/ui/late-menu';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import type { Moderation } from '../lib/moderation';
import { followThread } from '../api/threads';
import type { Category, ThreadInFull } from '../lib/types';

const ModerateDialog = lazy(() => import('./moderate-dialog').then((module) => ({ default: module.ModerateDialog })));
const ModerateMenu = lazy(() => import('./moderate-menu').then((module) => ({ default: module.ModerateMenu })));

interface Props {
  readonly thread: ThreadInFull;
  readonly categories: readonly Category[];
  readonly signedIn: boolean;
  readonly moderator: boolean;
  readonly onSignIn: () => void;
}

export function ThreadTools({ thread, categories, signedIn, moderator, onSignIn }: Props) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Moderation | null>(null);
  const follow = useMutation({
    mutationFn: () => followThread(thread.id, !thread.followed),
    onSuccess: () =>
      toast(
        thread.followed ? 'No longer followed' : 'Followed',
        thread.followed ? undefined : 'You’ll be notified of new replies.',
      ),
    onError: (error) => toastError(thread.followed ? 'Failed to unfollow' : 'Failed to follow', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
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
      <Suspense>
        {asked && (
          <ModerateDialog kind={asked} thread={thread} categories={categories} onClose={() => setAsked(null)} />
        )}
      </Suspense>
    </div>
  );
}
