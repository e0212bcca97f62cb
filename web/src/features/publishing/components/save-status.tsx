import { Check, CircleAlert, CloudUpload, Redo2, Undo2 } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { ApiError } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import type { SaveState } from '@/lib/api/saver';
import type { OpenDocument } from '../hooks/use-document';

const TEXTS = {
  saved: 'All changes saved',
  waiting: 'Unsaved changes',
  saving: 'Saving…',
  conflict: 'Changed elsewhere',
} as const;

export function SaveStatus({ saved, onRetry }: { readonly saved: SaveState; readonly onRetry: () => void }) {
  const isRejected = saved.status === 'failed' && saved.error instanceof ApiError && saved.error.status < 500;
  const text =
    saved.status !== 'failed'
      ? TEXTS[saved.status]
      : isRejected
        ? 'Not saved: see the errors'
        : 'Not saved: the server cannot be reached. Stored in this browser.';
  const Icon =
    saved.status === 'saved'
      ? Check
      : saved.status === 'failed' || saved.status === 'conflict'
        ? CircleAlert
        : CloudUpload;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p
        role="status"
        className={cx(
          'inline-flex items-center gap-1.5 text-[0.8125rem]',
          saved.status === 'failed' || saved.status === 'conflict' ? 'text-bad' : 'text-muted',
        )}
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        {text}
      </p>
      {saved.status === 'failed' && !isRejected && (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function UndoButtons<T>({ document }: { readonly document: OpenDocument<T> }) {
  const { history, undo, redo } = document;
  const [last, next] = [history.past.at(-1), history.future[0]];
  return (
    <div role="group" aria-label="History" className="flex gap-1">
      <Button
        size="icon"
        aria-label={last ? `Undo: ${last.label}` : 'Undo'}
        title={last ? `Undo: ${last.label} (Ctrl+Z)` : 'Undo (Ctrl+Z)'}
        aria-disabled={!last}
        onClick={undo}
      >
        <Undo2 aria-hidden className="size-4" />
      </Button>
      <Button
        size="icon"
        aria-label={next ? `Redo: ${next.label}` : 'Redo'}
        title={next ? `Redo: ${next.label} (Ctrl+Shift+Z)` : 'Redo (Ctrl+Shift+Z)'}
        aria-disabled={!next}
        onClick={redo}
      >
        <Redo2 aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
