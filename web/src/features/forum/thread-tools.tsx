// What members and moderators do with a whole thread.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Bell, BellOff, FolderInput, Lock, LockOpen, Pin, PinOff, Shield } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { Menu, MenuItem } from '@/components/ui/menu';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { followThread, lockThread, moveThread, pinThread } from './queries';
import type { Category, ThreadInFull } from './types';

type Moderation = 'pin' | 'lock' | 'move';

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
    onSuccess: () => toast(thread.followed ? 'Not followed any more' : 'Followed', thread.followed ? undefined : 'You are told of new replies.'),
    onError: (error) => toastError('Failed to change what you follow', messageOf(error)),
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
        <Menu
          trigger={
            <Button>
              <Shield aria-hidden className="size-4" />
              Moderate
            </Button>
          }
        >
          <MenuItem onSelect={() => setAsked('pin')}>
            {thread.isPinned ? <PinOff aria-hidden className="size-4" /> : <Pin aria-hidden className="size-4" />}
            {WORDS.pin(thread).title}
          </MenuItem>
          <MenuItem onSelect={() => setAsked('lock')}>
            {thread.isLocked ? <LockOpen aria-hidden className="size-4" /> : <Lock aria-hidden className="size-4" />}
            {WORDS.lock(thread).title}
          </MenuItem>
          <MenuItem onSelect={() => setAsked('move')}>
            <FolderInput aria-hidden className="size-4" />
            {WORDS.move(thread).title}
          </MenuItem>
        </Menu>
      )}
      {asked && <ModerateDialog kind={asked} thread={thread} categories={categories} onClose={() => setAsked(null)} />}
    </div>
  );
}

interface Words {
  readonly title: string;
  readonly description: string;
  readonly done: string;
}

const WORDS: Record<Moderation, (thread: ThreadInFull) => Words> = {
  pin: (thread) =>
    thread.isPinned
      ? { title: 'Unpin', description: 'It stands where its last reply puts it.', done: 'Thread unpinned' }
      : { title: 'Pin', description: 'It stands before the other threads.', done: 'Thread pinned' },
  lock: (thread) =>
    thread.isLocked
      ? { title: 'Unlock', description: 'Everybody can reply again.', done: 'Thread unlocked' }
      : { title: 'Lock', description: 'Nobody but moderators can reply.', done: 'Thread locked' },
  move: () => ({ title: 'Move', description: 'It goes to another category with all its posts.', done: 'Thread moved' }),
};

interface DialogProps {
  readonly kind: Moderation;
  readonly thread: ThreadInFull;
  readonly categories: readonly Category[];
  readonly onClose: () => void;
}

function ModerateDialog({ kind, thread, categories, onClose }: DialogProps) {
  const client = useQueryClient();
  const [words] = useState(() => WORDS[kind](thread)); // as it was when it was asked
  const [reason, setReason] = useState('');
  const [category, setCategory] = useState(thread.categoryId);
  const act = useMutation({
    mutationFn: () => {
      if (kind === 'pin') return pinThread(thread.id, !thread.isPinned, reason.trim());
      if (kind === 'lock') return lockThread(thread.id, !thread.isLocked, reason.trim());
      return moveThread(thread.id, category, reason.trim());
    },
    onSuccess: () => {
      toast(words.done);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!act.isPending) act.mutate();
  };
  return (
    <Dialog open onOpenChange={onClose} title={`${words.title} this thread`} description={words.description}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {kind === 'move' && (
          <SelectField label="Category" value={category} onChange={(event) => setCategory(event.target.value)}>
            {categories.map((item) => (
              <option key={item.id} value={item.id}>
                {item.name}
              </option>
            ))}
          </SelectField>
        )}
        <TextField label="Reason (optional)" value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} hint="Shown in the moderation log." />
        {act.error && <ErrorBox error={act.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={act.isPending} disabled={kind === 'move' && category === thread.categoryId}>
            {words.title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
