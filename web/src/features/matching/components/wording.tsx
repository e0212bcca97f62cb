import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Button } from '@/components/ui/button';
import { messageOf } from '@/lib/api/errors';
import { word, type Wording } from '../api/matching';
import { MAX_WORDED, wordingNote } from '../lib/labels';

interface Props {
  readonly wording: Wording;
  readonly programIds: readonly string[];
}

/** Whose words the reasons are in. Where a model was not asked yet for this idea, it is, once; programs are shown in our
 *  own words meanwhile. */
export function WordingLine({ wording, programIds }: Props) {
  const client = useQueryClient();
  const asking = useMutation({
    mutationFn: () => word(programIds.slice(0, MAX_WORDED)),
    onSettled: () => client.invalidateQueries({ queryKey: ['matching', 'recommendations'] }),
  });
  const { mutate, isIdle } = asking;
  const isNew = wording.mayBeAsked && wording.silence === null;
  useEffect(() => {
    if (isNew && isIdle) mutate();
  }, [isNew, isIdle, mutate]);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 text-[0.8125rem] text-muted">
      <p role="status">
        {asking.isPending
          ? 'Reasons are rule-based until AI responds…'
          : asking.error
            ? `Reasons are rule-based: ${messageOf(asking.error)}`
            : wordingNote(wording)}
      </p>
      {wording.mayBeAsked && (wording.silence !== null || asking.isError) && (
        <Button size="sm" variant="ghost" busy={asking.isPending} onClick={() => mutate()}>
          Try again
        </Button>
      )}
    </div>
  );
}
