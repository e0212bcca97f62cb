import { useState, type SubmitEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { focusFirstFault, SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import { useDraft } from '@/lib/storage/drafts';
import { Editor } from './editor';
import { RULES, textFault, TITLE, titleFault } from '../lib/limits';
import { startThread } from '../api/posts';
import { categoriesQuery } from '../api/threads';
import { meQuery } from '../api/members';
import { PublicName } from './public-name';
import { SuspendedNote } from './suspended-note';

interface Props {
  /** Slug of the preselected category. */
  readonly category: string | null;
  readonly onStarted: (threadId: string) => void;
  readonly onCancel: () => void;
}

export function NewThread({ category, onStarted, onCancel }: Props) {
  const categories = useQuery(categoriesQuery);
  const me = useQuery(meQuery);
  const [draft, change] = useDraft('forum-new');
  const [tried, setTried] = useState(false);
  const chosen = draft.about || category || '';
  const faults = {
    title: titleFault(draft.title),
    category: categories.data?.some((item) => item.slug === chosen) ? undefined : 'Please choose a category',
    text: textFault(draft.text),
  };
  const start = useCommand(startThread, {
    onSuccess: ({ id }) => {
      change({ title: '', text: '', about: '' });
      onStarted(id);
    },
  });
  const refused = start.error instanceof ApiError ? start.error.fields : {};
  const submit = (event?: SubmitEvent<HTMLFormElement>) => {
    setTried(true);
    const found = categories.data?.find((item) => item.slug === chosen);
    if (faults.title || faults.text || !found) {
      if (event) focusFirstFault(event.currentTarget);
      return;
    }
    if (!start.isPending) start.mutate({ title: draft.title.trim(), categoryId: found.id, text: draft.text.trim() });
  };
  if (categories.error && !categories.data)
    return (
      <ErrorBox error={categories.error} prefix="Error loading categories" onRetry={() => void categories.refetch()} />
    );
  if (!categories.data) return <Loading label="Loading categories" />;
  return (
    <LocalForm onSubmit={submit} noValidate className={cx(surface, 'flex flex-col gap-5 p-4 sm:p-6')}>
      <SuspendedNote />
      <TextField
        label="Title"
        value={draft.title}
        maxLength={TITLE.max}
        onChange={(event) => change({ title: event.target.value })}
        error={refused['title'] ?? (tried ? faults.title : undefined)}
        hint={`${TITLE.min} to ${TITLE.max} characters that summarize the thread.`}
      />
      <SelectField
        label="Category"
        value={chosen}
        onChange={(event) => change({ about: event.target.value })}
        error={tried ? faults.category : undefined}
      >
        <option value="" disabled>
          Choose a category…
        </option>
        {categories.data.map((item) => (
          <option key={item.id} value={item.slug}>
            {item.name}
          </option>
        ))}
      </SelectField>
      <Editor
        label="Text"
        rows={12}
        value={draft.text}
        onChange={(text) => change({ text })}
        onSubmit={() => submit()}
        error={refused['text'] ?? (tried ? faults.text : undefined)}
      />
      <PublicName />
      {me.data?.isNew && (
        <details className="rounded-lg bg-sunken px-4 py-2.5 text-[0.8125rem]">
          <summary className="cursor-pointer font-medium">Limits for new members</summary>
          <ul className="mt-2 flex list-disc flex-col gap-1 pl-5 text-muted">
            {RULES.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </details>
      )}
      {start.error && <ErrorBox error={start.error} prefix="Failed to start the thread" />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-[0.8125rem] text-muted">
          {draft.title || draft.text ? 'Saved as a draft in this browser.' : ''}
        </span>
        <div className="flex gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" variant="primary" busy={start.isPending}>
            Start Thread
          </Button>
        </div>
      </div>
    </LocalForm>
  );
}
