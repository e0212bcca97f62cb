import type { ReactNode } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';

interface Props {
  readonly title: string;
  readonly description: string;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly reasonNeeded?: boolean;
  /** A word that has to be typed first. */
  readonly typed?: string | undefined;
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string) => void;
}

/** Requests a reason before an action with public effect. */
export function ReasonDialog({ confirm, reasonNeeded = true, typed, children, onClose, onConfirm, ...dialog }: Props) {
  const form = useRequestForm({
    initial: { reason: '', word: '' },
    rules: {
      reason: { maxLength: 500, ...(reasonNeeded ? { missing: 'Please give a reason' } : {}) },
      word: (word) => (typed !== undefined && word !== typed ? `Please type ${typed}` : undefined),
    },
    onSubmit: ({ reason }) => {
      onConfirm(reason);
      onClose();
    },
  });
  return (
    <FormDialog form={form} action={confirm} onClose={onClose} {...dialog}>
      {children}
      <TextField
        label={reasonNeeded ? 'Reason' : 'Reason (optional)'}
        hint="Logged with your name."
        {...form.field('reason')}
      />
      {typed !== undefined && (
        <TextField label={`Type ${typed} to continue`} autoComplete="off" {...form.field('word')} />
      )}
    </FormDialog>
  );
}
