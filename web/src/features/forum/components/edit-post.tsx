import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { dropDraft, useDraft } from '@/lib/storage/drafts';
import { editPost } from '../api/posts';
import { Editor } from './editor';
import { textFault } from '../lib/limits';
import type { Post } from '../lib/types';

interface Props {
  readonly post: Post;
  readonly onClose: () => void;
}

/** Replaces the post's text. The draft is stored in this browser until it is saved or discarded. */
export function EditPost({ post, onClose }: Props) {
  const place = `forum-edit-${post.id}`;
  const [draft, change] = useDraft(place);
  const [initial] = useState(draft.text || post.text);
  const [text, setText] = useState(initial);
  const fault = textFault(text);
  const close = () => {
    dropDraft(place);
    onClose();
  };
  const save = useCommand(editPost(post.id));
  const write = (next: string) => {
    setText(next);
    change({ text: next === post.text ? '' : next });
  };
  const submit = () => {
    if (text.trim() === post.text) close();
    else if (!fault && !save.isPending) save.mutate(text.trim(), { onSuccess: close });
  };
  return (
    <div className="flex flex-col gap-3">
      <Editor
        label="Text"
        value={text}
        onChange={write}
        onSubmit={submit}
        error={fault}
        rows={Math.min(20, Math.max(6, initial.split('\n').length + 1))}
      />
      {save.error && <ErrorBox error={save.error} prefix="Failed to edit the post" />}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Cancel</Button>
        <Button variant="primary" busy={save.isPending} disabled={fault !== undefined} onClick={submit}>
          Save
        </Button>
      </div>
    </div>
  );
}
