import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { FlagPost } from '@/lib/api/request-schemas';
import { flagPost } from '../api/posts';
import { REASONS, type Reason } from '../lib/reasons';
import type { Post } from '../lib/types';

export function FlagDialog({ post, onClose }: { readonly post: Post; readonly onClose: () => void }) {
  const form = useRequestForm({
    request: FlagPost,
    initial: { reason: null as Reason | null, note: '' },
    rules: { note: { maxLength: 500 } },
    command: useCommand(flagPost(post.id), { onSuccess: onClose }),
    ready: ({ reason }) => reason !== null,
    input: ({ reason, note }) => ({ reason: reason ?? 'other', note }),
  });
  return (
    <FormDialog
      form={form}
      title="Report a post"
      description={`By ${post.author.name}. The author is not shown who reported it.`}
      action="Report"
      danger
      disabled={!form.isComplete}
      onClose={onClose}
    >
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
              checked={form.values.reason === item.value}
              onChange={() => form.set('reason')(item.value)}
            />
            <span>
              <span className="block font-medium">{item.label}</span>
              <span className="block text-[0.8125rem] text-muted">{item.hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <TextField label="Note (optional)" {...form.field('note')} hint="For moderators only." />
    </FormDialog>
  );
}
