import { Check, Flag, History, Link2, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu';
import { useCommand } from '@/lib/api/command';
import { copyText } from '@/lib/browser/clipboard';
import { toast, toastError } from '@/stores/toasts';
import { approvePost, restorePost } from '../api/moderation-commands';
import type { Post, PostDialog } from '../lib/types';

interface Props {
  readonly trigger: ReactNode;
  readonly post: Post;
  readonly moderator: boolean;
  readonly mine: boolean;
  readonly signedIn: boolean;
  readonly onAsk: (what: PostDialog, post: Post) => void;
  readonly onEdit: () => void;
  readonly onSignIn: () => void;
}

/** What can be done with a post beside answering it. */
export function PostMenu({ trigger, post, moderator, mine, signedIn, onAsk, onEdit, onSignIn }: Props) {
  const approve = useCommand(approvePost);
  const restore = useCommand(restorePost);
  const copy = () =>
    copyText(`${window.location.origin}/forum/thread/${post.threadId}?post=${post.id}`).then(
      () => toast('Link copied!', 'The link has been copied to your clipboard.'),
      () => toastError('Failed to copy', 'Please try again.'),
    );
  return (
    <Menu trigger={trigger} opensAtOnce>
      <MenuItem onSelect={() => void copy()}>
        <Link2 aria-hidden className="size-4" />
        Copy link
      </MenuItem>
      {post.edits > 0 && (mine || moderator) && (
        <MenuItem onSelect={() => onAsk('history', post)}>
          <History aria-hidden className="size-4" />
          Edit history
        </MenuItem>
      )}
      {post.canEdit && (
        <MenuItem onSelect={onEdit}>
          <Pencil aria-hidden className="size-4" />
          Edit
        </MenuItem>
      )}
      {!mine && post.state === 'visible' && !post.flagged && (
        <MenuItem onSelect={signedIn ? () => onAsk('flag', post) : onSignIn}>
          <Flag aria-hidden className="size-4" />
          Report
        </MenuItem>
      )}
      {moderator && (post.state === 'held' || post.state === 'hidden') && (
        <MenuItem onSelect={() => approve.mutate(post.id)}>
          <Check aria-hidden className="size-4" />
          Approve
        </MenuItem>
      )}
      {moderator && post.state === 'deleted' && (
        <MenuItem onSelect={() => restore.mutate(post.id)}>
          <RotateCcw aria-hidden className="size-4" />
          Restore
        </MenuItem>
      )}
      {post.canDelete && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => onAsk('delete', post)}>
            <Trash2 aria-hidden className="size-4" />
            Delete
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
