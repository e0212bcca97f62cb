import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { AddSocialPost } from '@/lib/api/request-schemas';
import type { SocialChannel } from '@/lib/api/types';
import { browserTimezone, wallClock } from '@/lib/dates';
import { addPost } from '../api/posts';
import { NETWORKS } from '../lib/networks';

const blank = () => ({
  address: '',
  title: '',
  publishedAt: wallClock(new Date().toISOString(), browserTimezone()),
});

/** A post by its address; its links and figures then stand in the report. */
export function AddPost({ channel }: { readonly channel: SocialChannel }) {
  const add = useCommand(addPost(channel.id));
  const form = useRequestForm({
    request: AddSocialPost,
    initial: blank(),
    rules: { title: { maxLength: 200 } },
    command: add,
    input: ({ publishedAt, ...post }) => ({ ...post, publishedAt: new Date(publishedAt).toISOString() }),
    forget: add.reset,
    onSent: () => {
      form.reset(blank());
    },
  });
  return (
    <Card title="Add a post" description={`On ${NETWORKS[channel.network].label}, for ${channel.name}`}>
      <Form form={form} className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Address of the post"
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          placeholder={NETWORKS[channel.network].post}
          className="sm:col-span-2"
          {...form.field('address')}
        />
        <TextField label="Title (optional)" autoComplete="off" {...form.field('title')} />
        <TextField
          label="Published"
          type="datetime-local"
          hint="In your time zone."
          {...form.field('publishedAt')}
          max="9999-12-31T23:59"
        />
        <FormError form={form} className="sm:col-span-2" />
        <SubmitButton form={form} className="justify-self-start" disabled={!form.isComplete}>
          Add post
        </SubmitButton>
      </Form>
    </Card>
  );
}
