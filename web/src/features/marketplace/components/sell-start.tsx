import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { startListing } from '../api/selling';

/** Creates a draft from title and address; later changes are autosaved. */
export function SellStart({ onStarted }: { readonly onStarted: (id: string) => void }) {
  const [title, setTitle] = useState('');
  const [websiteUrl, setWebsiteUrl] = useState('');
  const [tried, setTried] = useState(false);
  const start = useCommand(startListing, { onSuccess: ({ id }) => onStarted(id) });
  const fields = start.error instanceof ApiError ? start.error.fields : {};
  return (
    <Card
      title="Start your listing"
      description="It is a draft that only you can see until you submit it and an admin approves it."
      className="max-w-2xl"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (title.trim() !== '') start.mutate({ title: title.trim(), websiteUrl: websiteUrl.trim() });
        }}
      >
        <TextField
          label="Title"
          required
          maxLength={120}
          placeholder="VPN review site with steady search traffic"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          error={tried && title.trim() === '' ? 'Please enter a title' : fields['title']}
        />
        <TextField
          label="Website address (optional)"
          type="url"
          inputMode="url"
          maxLength={500}
          placeholder="https://"
          value={websiteUrl}
          onChange={(event) => setWebsiteUrl(event.target.value)}
          error={fields['websiteUrl']}
        />
        {start.error && <ErrorBox error={start.error} />}
        <Button type="submit" variant="primary" busy={start.isPending} className="self-end">
          Start draft
        </Button>
      </form>
    </Card>
  );
}
