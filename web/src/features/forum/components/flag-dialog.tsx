import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { toast } from '@/stores/toasts';
import { flagPost } from '../api/posts';
import { REASONS, type Reason } from '../lib/reasons';
import type { Post } from '../lib/types';

export function FlagDialog({ post, onClose }: { readonly post: Post; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState<Reason | null>(null);
  const [note, setNote] = useState('');
  const send = useMutation({
    mutationFn: flagPost,
    onSuccess: () => {
      toast('Report sent', 'A moderator will review this post.');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason) send.mutate({ postId: post.id, reason, note: note.trim() });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Report a post"
      description={`By ${post.author.name}. The author is not shown who reported it.`}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1.5 font-medium">What is wrong with it?</legend>
          {REASONS.map((item) => (
            <label
              key={item.value}
              className="flex cursor-pointer items-start gap-2.5 rounded-lg border border-line px-3 py-2 has-checked:border-brand has-checked:bg-brand-soft"
            >
              <input
                type="radio"
                name="reason"
                className="mt-1 accent-brand"
                checked={reason === item.value}
                onChange={() => setReason(item.value)}
              />
              <span>
                <span className="block font-medium">{item.label}</span>
                <span className="block text-[0.8125rem] text-muted">{item.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Note (optional)"
          value={note}
          maxLength={500}
          onChange={(event) => setNote(event.target.value)}
          hint="For moderators only."
        />
        {send.error && <ErrorBox error={send.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={send.isPending} disabled={!reason}>
            Report
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
