import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { LatePopover } from '@/components/ui/late-popover';
import { Check } from '@/components/ui/check';
import { COLUMN_LABELS, COLUMNS, FIXED, type ColumnId } from '../lib/columns';

interface Props {
  readonly shown: readonly ColumnId[];
  readonly onToggle: (id: ColumnId) => void;
  readonly onReset: () => void;
}

export function ColumnChooser({ shown, onToggle, onReset }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <LatePopover
      label="Columns"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button>
          <Columns3 aria-hidden className="size-4" />
          Columns
        </Button>
      }
    >
      <fieldset>
        <legend className="mb-2 font-medium">Columns</legend>
        <div className="grid grid-cols-2 gap-x-3 gap-y-2">
          {COLUMNS.map((id) => (
            <Check
              key={id}
              label={COLUMN_LABELS[id]}
              checked={shown.includes(id)}
              disabled={FIXED.includes(id)}
              onChange={() => onToggle(id)}
            />
          ))}
        </div>
      </fieldset>
      <Button size="sm" variant="ghost" className="mt-3" onClick={onReset}>
        Reset
      </Button>
    </LatePopover>
  );
}
