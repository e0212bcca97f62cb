import { ErrorBox } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { SaveQuery } from '@/lib/api/request-schemas';
import { saveQuery } from '../api/queries';

interface Props {
  readonly sql: string;
  readonly onSaved: (id: string) => void;
  readonly onClose: () => void;
}

/** Saves the statement under a title. If one of one's queries has it, the person chooses what happens. */
export function SaveDialog({ sql, onSaved, onClose }: Props) {
  const save = useCommand(saveQuery, {
    onSuccess: ({ id }) => {
      onSaved(id);
      onClose();
    },
  });
  const saveAs = (title: string, ifTitleExists: 'replace' | 'keep_both' | 'reject') =>
    save.mutate({ title: title.trim(), sql, ifTitleExists });
  const form = useRequestForm({
    request: SaveQuery,
    initial: { title: '' },
    onSubmit: ({ title }) => saveAs(title, 'reject'), // a title that is taken is said below, with the choice
    forget: save.reset,
  });
  const isTaken = save.error instanceof ApiError && save.error.code === 'title_taken';
  return (
    <Dialog open onOpenChange={onClose} title="Save query">
      <Form form={form} native>
        <TextField label="Title" {...form.field('title')} />
        {save.error && !isTaken && <ErrorBox error={save.error} />}
        {isTaken ? (
          <div role="alert" className="flex flex-col gap-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
            <p>You already have a query with this title.</p>
            <div className="flex flex-wrap gap-2">
              <Button size="sm" type="button" onClick={() => saveAs(form.values.title, 'replace')}>
                Save as its new version
              </Button>
              <Button size="sm" type="button" onClick={() => saveAs(form.values.title, 'keep_both')}>
                Keep both
              </Button>
            </div>
          </div>
        ) : (
          <div className="flex justify-end">
            <SubmitButton form={form} busy={save.isPending} disabled={!form.isComplete}>
              Save
            </SubmitButton>
          </div>
        )}
      </Form>
    </Dialog>
  );
}
