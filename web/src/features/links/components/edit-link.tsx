import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { api, body } from '@/lib/api/client';
import { ApiError } from '@/lib/api/errors';
import type { Link } from '@/lib/api/types';
import { toast } from '@/stores/toasts';
import { changesOf, draftOf } from '../lib/draft';
import { LinkFields } from './link-fields';
import { useLinksChanged } from '../api/links';

export function EditLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const changed = useLinksChanged();
  const [opened] = useState(link);
  const [draft, setDraft] = useState(() => draftOf(opened));
  const [isActive, setIsActive] = useState(opened.isActive);
  const save = useMutation({
    mutationFn: () => {
      const changes = { ...changesOf(draft, opened), ...(isActive === opened.isActive ? {} : { isActive }) };
      return body(api.PATCH('/api/platform/links/{id}', { params: { path: { id: link.id } }, body: changes }));
    },
    onSuccess: async () => {
      toast('Link updated');
      await changed();
      onClose();
    },
  });
  const fields = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Edit link"
      description={link.url}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <LinkFields draft={draft} onChange={setDraft} errors={fields} />
        <label className="inline-flex items-center gap-2">
          <input
            type="checkbox"
            checked={isActive}
            onChange={(event) => setIsActive(event.target.checked)}
            className="size-4 accent-(--c-brand)"
          />
          Active
        </label>
        {save.error && <ErrorBox error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
