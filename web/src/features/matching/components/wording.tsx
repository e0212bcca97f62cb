import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { useCommand, type Command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { Wording } from '../api/matching';
import { wordingNote } from '../lib/labels';

interface Props {
  readonly wording: Wording;
  /** What is worded: Reasons, or Texts. */
  readonly what?: string;
  /** Requests AI-written texts. */
  readonly command: Command<string[], unknown>;
  /** What they are about. */
  readonly ids: string[];
}

/** Whose words the texts are in. Where a model was not asked yet, it is, once; our own words are shown meanwhile. */
export function WordingLine({ wording, what = 'Reasons', command, ids }: Props) {
  const asking = useCommand(command);
  const { mutate, isIdle } = asking;
  const isNew = wording.mayBeAsked && wording.silence === null;
  useEffect(() => {
    if (isNew && isIdle) mutate(ids);
  }, [isNew, isIdle, mutate, ids]);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 text-[0.8125rem] text-muted">
      <p role="status">
        {asking.isPending
          ? `${what} are rule-based until AI responds…`
          : asking.error
            ? `${what} are rule-based: ${messageOf(asking.error)}`
            : wordingNote(wording, what)}
      </p>
      {wording.mayBeAsked && (wording.silence !== null || asking.isError) && (
        <Button size="sm" variant="ghost" busy={asking.isPending} onClick={() => mutate(ids)}>
          Try again
        </Button>
      )}
    </div>
  );
}
