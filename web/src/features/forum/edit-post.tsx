import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Editor } from './editor';
import { textFault } from './limits';
import type { Post } from './types';

interface Props {
  readonly post: Post;
  readonly onSave: (text: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Stands where the post's text stood. */
export function EditPost({ post, onSave, onClose }: Props) {
  const [text, setText] = useState(post.text);
  const fault = textFault(text);
  const save = useMutation({ mutationFn: () => onSave(text.trim()), onSuccess: onClose });
  const submit = () => {
    if (text.trim() === post.text) onClose();
    else if (!fault && !save.isPending) save.mutate();
  };
  return (
    <div className="flex flex-col gap-3">
      <Editor label="Text" value={text} onChange={setText} onSubmit={submit} error={fault} rows={Math.min(20, Math.max(6, post.text.split('\n').length + 1))} />
      {save.error && <ErrorBox error={save.error} prefix="The post was not changed" />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" busy={save.isPending} disabled={fault !== undefined} onClick={submit}>
          Save
        </Button>
      </div>
    </div>
  );
}
