import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { api, body } from '@/lib/api/client';
import { toast } from '@/stores/toasts';
import { savedQuery } from '../api/queries';

export function SaveDialog({ sql, onClose }: { readonly sql: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [title, setTitle] = useState('');
  const save = useMutation({
    mutationFn: () => body(api.POST('/api/platform/sql/queries', { body: { title: title.trim(), sql } })),
    onSuccess: () => {
      toast('Query saved');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: savedQuery.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog open onOpenChange={onClose} title="Save query" description="A query with the same title is replaced.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Title"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          maxLength={120}
          ref={focusOnMount}
          required
        />
        {save.error && <ErrorBox error={save.error} />}
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={save.isPending} disabled={!title.trim()}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
