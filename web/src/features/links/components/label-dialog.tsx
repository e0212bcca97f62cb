import { useId } from 'react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';

interface Props {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly known: readonly string[];
  readonly isEmptyAllowed: boolean;
  readonly isBusy: boolean;
  readonly error: string | undefined;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

/** A tag or a folder, a new one or one of those that are known. */
export function LabelDialog({ title, label, hint, known, isEmptyAllowed, isBusy, error, onSave, onClose }: Props) {
  const list = useId();
  const form = useRequestForm({
    initial: { text: '' },
    rules: { text: { maxLength: 40 } },
    ready: ({ text }) => text !== '' || isEmptyAllowed,
    onSubmit: ({ text }) => onSave(text),
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <Form form={form}>
        <TextField label={label} list={list} autoComplete="off" hint={hint} {...form.field('text')} error={error} />
        <datalist id={list}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <SubmitButton form={form} busy={isBusy} className="self-end">
          Save
        </SubmitButton>
      </Form>
    </Dialog>
  );
}
