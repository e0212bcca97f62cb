import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, TextArea, TextField } from '@/components/ui/field';
import { addressFrom } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { requestPartner } from '../api/requests';

/** Requests that the directory gets a program. */
export function RequestPartner({ onClose }: { readonly onClose: () => void }) {
  const request = useCommand(requestPartner);
  const [name, setName] = useState('');
  const [website, setWebsite] = useState('');
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const refused = request.error instanceof ApiError ? request.error.fields : {};
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Request a partner"
      description="An admin adds it for everyone, or tells you why not."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          focusFirstFault(event.currentTarget);
          setTried(true);
          if (name.trim() !== '' && website.trim() !== '')
            request.mutate(
              { name: name.trim(), website: addressFrom(website), note: note.trim() },
              { onSuccess: onClose },
            );
        }}
      >
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && name.trim() === '' ? 'Enter a name' : refused['name']}
        />
        <TextField
          label="Website"
          required
          inputMode="url"
          placeholder="shop.example"
          value={website}
          onChange={(event) => setWebsite(event.target.value)}
          error={tried && website.trim() === '' ? 'Enter the program’s website' : refused['website']}
        />
        <TextArea
          label="Note (optional)"
          rows={3}
          maxLength={1000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          error={refused['note']}
          hint="For example, its network and commission."
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={request.isPending}>
            Send request
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
