import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Reasoned } from '@/lib/api/request-schemas';
import { deletePost } from '../api/posts';
import type { Post } from '../lib/types';

interface Props {
  readonly post: Post;
  /** A moderator, not the author: the reason is written to the log. */
  readonly moderating: boolean;
  /** What the toast says. */
  readonly done?: string;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

export function DeleteDialog({ post, moderating, done, onDeleted, onClose }: Props) {
  const remove = useCommand(deletePost(post.id, done ?? (post.isFirst ? 'Thread deleted' : 'Post deleted')), {
    onSuccess: () => {
      onDeleted?.();
      onClose();
    },
  });
  const form = useRequestForm({
    request: Reasoned,
    initial: { reason: '' },
    rules: { reason: { required: moderating, maxLength: 500 } },
    command: remove,
    input: ({ reason }) => reason,
  });
  return (
    <FormDialog
      form={form}
      title={post.isFirst ? 'Delete this thread?' : 'Delete this post?'}
      description={
        post.isFirst
          ? 'The first post and the thread are hidden. A moderator can restore them.'
          : 'The post is hidden. A moderator can restore it.'
      }
      action="Delete"
      danger
      disabled={!form.isComplete}
      onClose={onClose}
    >
      {moderating && (
        <TextField label="Reason" {...form.field('reason')} hint="Shown to the author and in the moderation log." />
      )}
    </FormDialog>
  );
}
