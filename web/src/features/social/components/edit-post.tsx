import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ChangeSocialPost } from '@/lib/api/request-schemas';
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
  const form = useRequestForm({
    request: ChangeSocialPost,
    initial: { title: post.name, publishedAt: before },
    rules: { title: { maxLength: 200 } },
    command: useCommand(changePost(post.postId)),
    ready: ({ publishedAt }) => publishedAt !== '',
    input: ({ title, publishedAt }) => ({
      ...(title === post.name ? {} : { title }),
      ...(publishedAt === before ? {} : { publishedAt: new Date(publishedAt).toISOString() }),
    }),
    onSent: onClose,
  });
  return (
    <FormDialog
      form={form}
      title="Edit post"
      description={post.url}
      action="Save"
      disabled={!form.isComplete}
      onClose={onClose}
    >
      <PostPicture post={post} />
      <TextField label="Title" autoComplete="off" {...form.field('title')} />
      <TextField
        label="Published"
        type="datetime-local"
        hint="In your time zone."
        {...form.field('publishedAt')}
        max="9999-12-31T23:59"
      />
    </FormDialog>
  );
}
