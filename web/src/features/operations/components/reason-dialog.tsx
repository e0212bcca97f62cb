import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
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
export function ReasonDialog({
  title,
  description,
  confirm,
  danger = false,
  reasonNeeded = true,
  typed,
  children,
  onClose,
  onConfirm,
}: Props) {
  const [reason, setReason] = useState('');
  const [word, setWord] = useState('');
  const [tried, setTried] = useState(false);
  const reasonError = reasonNeeded && reason.trim() === '' ? 'Please give a reason' : undefined;
  const wordError = typed !== undefined && word.trim() !== typed ? `Please type ${typed}` : undefined;
  const submit = (event: React.SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (reasonError || wordError) return;
    onConfirm(reason.trim());
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      description={description}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {children}
        <TextField
          label={reasonNeeded ? 'Reason' : 'Reason (optional)'}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          error={tried ? reasonError : undefined}
          hint="Logged with your name."
        />
        {typed !== undefined && (
          <TextField
            label={`Type ${typed} to continue`}
            value={word}
            onChange={(event) => setWord(event.target.value)}
            error={tried ? wordError : undefined}
            autoComplete="off"
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
