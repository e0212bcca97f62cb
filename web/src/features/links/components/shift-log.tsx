import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import type { LinkSplit } from '@/lib/api/types';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { undoShift } from '../api/split';
import { outcomeOf, sharesOf } from '../lib/split';

type Shift = LinkSplit['shifts'][number];

/** The decisions about the weights of a split, newest first, and the way back before each shift. */
export function ShiftLog({ link, split }: { readonly link: string; readonly split: LinkSplit }) {
  const [isOn, setOn] = useState(false);
  return (
    <section aria-label="Shift log">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h4 className="font-medium">Shift log</h4>
        {split.shifting.isOn && <Check label="Keep shifting after an undo" checked={isOn} onChange={setOn} />}
      </div>
      <ol className="divide-y divide-line rounded-lg border border-line">
        {split.shifts.map((shift) => (
          <Entry key={shift.version} link={link} split={split} shift={shift} isOnAfter={isOn && split.shifting.isOn} />
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly link: string;
  readonly split: LinkSplit;
  readonly shift: Shift;
  readonly isOnAfter: boolean;
}

function Entry({ link, split, shift, isOnAfter }: EntryProps) {
  const undo = useCommand(undoShift(link));
  const at = formatZoned(shift.at, browserTimezone());
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
      <div className="min-w-0">
        <p>{outcomeOf(split, shift)}</p>
        <p className="text-[0.8125rem] text-muted">{[at, ...sharesOf(split, shift)].join(' · ')}</p>
        <p className="text-[0.8125rem] text-muted">{decidedOn(shift)}</p>
      </div>
      {shift.undoneAt !== null ? (
        <span className="text-[0.8125rem] text-muted">Undone</span>
      ) : (
        shift.outcome === 'shifted' && (
          <Button
            size="sm"
            busy={undo.isPending}
            aria-label={`Undo the shift of ${at}`}
            onClick={() => undo.mutate({ version: shift.version, isOn: isOnAfter })}
          >
            Undo
          </Button>
        )
      )}
    </li>
  );
}

/** The numbers that a decision was taken by. */
function decidedOn({ variants }: Shift): string {
  const sum = (key: 'clicks' | 'buyers') => variants.reduce((total, variant) => total + variant[key], 0);
  return `Decided on ${formatCount(sum('clicks'))} clicks and ${formatCount(sum('buyers'))} buyers`;
}
