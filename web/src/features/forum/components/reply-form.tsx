import { X } from 'lucide-react';
import { useImperativeHandle, useRef, useState, type Ref } from 'react';
import { ErrorBox } from '@/components/data/states';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { useDraft } from '@/lib/storage/drafts';
import { Editor, type EditorHandle } from './editor';
import { textFault } from '../lib/limits';
import { replyTo } from '../api/posts';
import { PublicName } from './public-name';
import { SuspendedNote } from './suspended-note';
import type { Post } from '../lib/types';

export interface ReplyHandle {
  readonly to: (post: Post, quote: boolean) => void;
  readonly focus: () => void;
}

interface Props {
  readonly ref?: Ref<ReplyHandle>;
  readonly threadId: string;
  readonly onReplied: (postId: string) => void;
}

export function ReplyForm({ ref, threadId, onReplied }: Props) {
  const editor = useRef<EditorHandle>(null);
  const [draft, change] = useDraft(`forum-thread-${threadId}`);
  const [answered, setAnswered] = useState<Post | null>(null);
  const [tried, setTried] = useState(false);
  const fault = textFault(draft.text);
  const send = useCommand(replyTo(threadId), {
    onSuccess: ({ id }) => {
      change({ text: '', about: '' });
      setTried(false);
      onReplied(id);
    },
  });
  useImperativeHandle(ref, () => ({
    to: (post, quote) => {
      setAnswered(post);
      change({ about: post.isFirst && !quote ? '' : post.id });
      if (quote) editor.current?.append(`${quoted(post)}\n\n`);
      else editor.current?.focus();
    },
    focus: () => editor.current?.focus(),
  }));
  const submit = () => {
    setTried(true);
    if (!fault && !send.isPending) send.mutate({ text: draft.text.trim(), replyTo: draft.about || null });
  };
  return (
    <LocalForm
      aria-label="Your reply"
      noValidate
      onSubmit={submit}
      className={cx(surface, 'flex scroll-mt-20 flex-col gap-3 p-4 sm:p-5')}
    >
      <SuspendedNote />
      {draft.about && (
        <p className="flex items-center gap-2 rounded-lg bg-sunken px-3 py-1.5 text-[0.8125rem]">
          <span className="min-w-0 flex-1 truncate">
            {answered?.id === draft.about ? (
              <>
                To <span className="font-medium">{answered.author.name}</span>: {answered.excerpt}
              </>
            ) : (
              'To a post you selected'
            )}
          </span>
          <button
            type="button"
            aria-label="Reply to the thread instead"
            className="grid size-6 shrink-0 place-items-center rounded-md hover:bg-surface"
            onClick={() => change({ about: '' })}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </p>
      )}
      <Editor
        ref={editor}
        label="Your reply"
        value={draft.text}
        onChange={(text) => change({ text })}
        onSubmit={submit}
        error={tried ? fault : undefined}
        rows={6}
      />
      <PublicName />
      {send.error && <ErrorBox error={send.error} prefix="Failed to post the reply" />}
      <div className="flex items-center justify-between gap-3">
        <span className="text-[0.8125rem] text-muted">{draft.text ? 'Saved as a draft in this browser.' : ''}</span>
        <Button type="submit" variant="primary" busy={send.isPending}>
          Reply
        </Button>
      </div>
    </LocalForm>
  );
}

/** The post as a quotation in Markdown; of what it quotes itself nothing is repeated. */
export function quoted(post: Post): string {
  const own = post.text.split('\n').filter((line) => !/^\s*>/.test(line));
  const who = post.author.handle ? `@${post.author.handle}` : post.author.name;
  return [`${who} wrote:`, '', ...own.join('\n').trim().split('\n')].map((line) => `> ${line}`.trimEnd()).join('\n');
}
