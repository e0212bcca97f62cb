import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { toast } from '@/stores/toasts';
import { suspendMember } from '../api/moderation-commands';
import { endOf, SPANS } from '../lib/suspension';

interface Props {
  readonly member: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function SuspendDialog({ member, onClose }: Props) {
  const client = useQueryClient();
  const [span, setSpan] = useState(0);
  const [reason, setReason] = useState('');
  const suspend = useMutation({
    mutationFn: () =>
      suspendMember({ id: member.id, reason: reason.trim(), until: endOf(SPANS[span]?.days ?? null, Date.now()) }),
    onSuccess: () => {
      toast('Member suspended');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!suspend.isPending) suspend.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Suspend ${member.name}`}
      description="They can read the forum but not post. The reason is shown to them."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label="Duration" value={String(span)} onChange={(event) => setSpan(Number(event.target.value))}>
          {SPANS.map((item, index) => (
            <option key={item.label} value={index}>
              {item.label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Reason"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
          hint="Shown to the member and in the moderation log."
        />
        {suspend.error && <ErrorBox error={suspend.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={suspend.isPending} disabled={!reason.trim()}>
            Suspend
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
