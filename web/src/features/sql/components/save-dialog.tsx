import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { saveQuery } from '../api/queries';

interface Props {
  readonly sql: string;
  readonly onSaved: (id: string) => void;
  readonly onClose: () => void;
}

/** Saves the statement under a title. If one of one's queries has it, the person chooses what happens. */
export function SaveDialog({ sql, onSaved, onClose }: Props) {
  const [title, setTitle] = useState('');
  const save = useCommand(saveQuery, {
    onSuccess: ({ id }) => {
      onSaved(id);
      onClose();
    },
  });
  const saveAs = (ifTitleExists: 'replace' | 'keep_both' | 'reject') =>
    save.mutate({ title: title.trim(), sql, ifTitleExists });
  const isTaken = save.error instanceof ApiError && save.error.code === 'title_taken';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saveAs('reject');
  };
  return (
    <Dialog open onOpenChange={onClose} title="Save query">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Title"
          value={title}
          onChange={(event) => {
            setTitle(event.target.value);
            save.reset();
          }}
          maxLength={120}
          ref={focusOnMount}
          required
        />
        {save.error && !isTaken && <ErrorBox error={save.error} />}
        {isTaken ? (
          <div role="alert" className="flex flex-col gap-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
            <p>You already have a query with this title.</p>
            <div className="flex flex-wrap gap-2">
              <Button size="sm" type="button" onClick={() => saveAs('replace')}>
                Save as its new version
              </Button>
              <Button size="sm" type="button" onClick={() => saveAs('keep_both')}>
                Keep both
              </Button>
            </div>
          </div>
        ) : (
          <div className="flex justify-end">
            <Button type="submit" variant="primary" busy={save.isPending} disabled={!title.trim()}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}
