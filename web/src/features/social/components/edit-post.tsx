import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { browserTimezone, wallClock } from '@/lib/dates';
import { changePost } from '../api/posts';
import type { PostRow } from '../lib/posts';
import { PostPicture } from './post-picture';

interface Props {
  readonly post: PostRow;
  readonly onClose: () => void;
}

/** Title, time and picture. The address stays: another address is another post. */
export function EditPost({ post, onClose }: Props) {
  const before = wallClock(post.publishedAt, browserTimezone());
  const [title, setTitle] = useState(post.name);
  const [published, setPublished] = useState(before);
  const save = useCommand(changePost(post.postId));
  const fields = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Edit post" description={post.url}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (published === '') return;
          const edits = {
            ...(title.trim() === post.name ? {} : { title: title.trim() }),
            ...(published === before ? {} : { publishedAt: new Date(published).toISOString() }),
          };
          save.mutate(edits, { onSuccess: onClose });
        }}
      >
        <PostPicture post={post} />
        <TextField
          label="Title"
          autoComplete="off"
          maxLength={200}
          value={title}
          error={fields['title']}
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextField
          label="Published"
          type="datetime-local"
          max="9999-12-31T23:59"
          value={published}
          error={fields['publishedAt']}
          hint="In your time zone."
          onChange={(event) => setPublished(event.target.value)}
        />
        {save.error && Object.keys(fields).length === 0 && <ErrorBox error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending} disabled={published === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
