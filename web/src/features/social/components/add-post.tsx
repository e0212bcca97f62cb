import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { SocialChannel } from '@/lib/api/types';
import { browserTimezone, wallClock } from '@/lib/dates';
import { addPost } from '../api/posts';
import { NETWORKS } from '../lib/networks';

const now = () => wallClock(new Date().toISOString(), browserTimezone());

/** A post by its address; its links and figures then stand in the report. */
export function AddPost({ channel }: { readonly channel: SocialChannel }) {
  const [address, setAddress] = useState('');
  const [title, setTitle] = useState('');
  const [published, setPublished] = useState(now);
  const add = useCommand(addPost(channel.id), {
    onSuccess: () => {
      setAddress('');
      setTitle('');
      setPublished(now());
    },
  });
  const fields = add.error instanceof ApiError ? add.error.fields : {};
  return (
    <Card title="Add a post" description={`On ${NETWORKS[channel.network].label}, for ${channel.name}`}>
      <form
        noValidate
        className="grid items-start gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (address.trim() === '' || published === '') return;
          add.mutate({
            address: address.trim(),
            title: title.trim(),
            publishedAt: new Date(published).toISOString(),
          });
        }}
      >
        <TextField
          label="Address of the post"
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          placeholder={NETWORKS[channel.network].post}
          className="sm:col-span-2"
          value={address}
          error={fields['address']}
          onChange={(event) => {
            setAddress(event.target.value);
            add.reset();
          }}
        />
        <TextField
          label="Title (optional)"
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
        {add.error && Object.keys(fields).length === 0 && <ErrorBox className="sm:col-span-2" error={add.error} />}
        <Button
          type="submit"
          variant="primary"
          className="justify-self-start"
          busy={add.isPending}
          disabled={address.trim() === '' || published === ''}
        >
          Add post
        </Button>
      </form>
    </Card>
  );
}
