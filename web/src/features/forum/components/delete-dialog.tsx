import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import type { Post } from '../lib/types';

interface Props {
  readonly post: Post;
  /** A moderator, not the author: the reason is written to the log. */
  readonly moderating: boolean;
  readonly onDelete: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function DeleteDialog({ post, moderating, onDelete, onClose }: Props) {
  const [reason, setReason] = useState('');
  const remove = useMutation({ mutationFn: () => onDelete(reason.trim()), onSuccess: onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!remove.isPending) remove.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={post.isFirst ? 'Delete this thread?' : 'Delete this post?'}
      description={
        post.isFirst
          ? 'The first post and the thread are hidden. A moderator can restore them.'
          : 'The post is hidden. A moderator can restore it.'
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {moderating && (
          <TextField
            label="Reason"
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
            hint="Shown to the author and in the moderation log."
          />
        )}
        {remove.error && <ErrorBox error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={remove.isPending} disabled={moderating && !reason.trim()}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
