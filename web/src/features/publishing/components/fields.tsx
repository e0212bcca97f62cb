// Fields of blocks: each shows what the server said about its path in the block.
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { TextArea, TextField } from '@/components/ui/field';
import { fractionDigits } from '@/lib/format/currencies';
import { moved, replaced, without } from '../lib/edits';
import { useFault, useWantedText } from './block-context';

interface Props {
  readonly label: string;
  readonly path: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly maxLength?: number;
  readonly required?: boolean;
}

export function Line({ path, onChange, ...rest }: Props) {
  const ref = useWantedText<HTMLInputElement>(path);
  return <TextField {...rest} ref={ref} error={useFault(path)} onChange={(event) => onChange(event.target.value)} />;
}

export function Lines({ path, onChange, rows = 3, ...rest }: Props & { readonly rows?: number }) {
  const ref = useWantedText<HTMLTextAreaElement>(path);
  return (
    <TextArea
      {...rest}
      ref={ref}
      rows={rows}
      error={useFault(path)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface PointsProps {
  readonly label: string;
  readonly path: string;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

const pointsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** A list of short texts, one on each line. */
export function Points({ label, path, value, onChange }: PointsProps) {
  const [typed, setTyped] = useState(() => value.join('\n'));
  const ref = useWantedText<HTMLTextAreaElement>(path);
  const isCurrent = JSON.stringify(pointsOf(typed)) === JSON.stringify(value);
  return (
    <TextArea
      ref={ref}
      label={label}
      hint="One on each line, at most 12"
      rows={3}
      value={isCurrent ? typed : value.join('\n')}
      error={useFault(path)}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(pointsOf(event.target.value));
      }}
    />
  );
}

interface AmountProps {
  readonly label: string;
  readonly path: string;
  /** Minor units of the currency. */
  readonly value: number | null;
  readonly currency: string;
  readonly onChange: (value: number | null) => void;
  readonly hint?: string;
}

export function Amount({ label, path, value, currency, onChange, hint }: AmountProps) {
  const digits = fractionDigits(currency);
  const shown = value === null ? '' : (value / 10 ** digits).toFixed(digits);
  const [typed, setTyped] = useState(shown);
  const parsed = amountOf(typed, digits);
  const fault = useFault(path);
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      value={parsed === value || parsed === undefined ? typed : shown}
      error={parsed === undefined ? `Enter an amount with at most ${digits} decimals, such as 49.90` : fault}
      onChange={(event) => {
        setTyped(event.target.value);
        const next = amountOf(event.target.value, digits);
        if (next !== undefined) onChange(next);
      }}
    />
  );
}

/** Null: nothing was entered; undefined: no amount. */
export function amountOf(text: string, digits: number): number | null | undefined {
  const plain = text.trim().replace(',', '.');
  if (plain === '') return null;
  if (!/^\d{1,12}(\.\d*)?$/.test(plain)) return undefined;
  const [whole = '', decimals = ''] = plain.split('.');
  if (decimals.length > digits) return undefined;
  return Number(whole + decimals.padEnd(digits, '0'));
}

interface EntriesProps<T> {
  readonly entries: readonly T[];
  /** "Offer": entries are called "Offer 1", "Offer 2". */
  readonly noun: string;
  readonly max: number;
  readonly onChange: (entries: readonly T[]) => void;
  readonly make: () => T;
  readonly children: (entry: T, index: number, change: (entry: T) => void) => ReactNode;
}

/** A list of entries that can be added, moved and removed; one always stays. */
export function Entries<T>({ entries, noun, max, onChange, make, children }: EntriesProps<T>) {
  return (
    <div className="flex flex-col gap-3">
      {entries.map((entry, index) => {
        const name = `${noun} ${index + 1}`;
        return (
          <fieldset key={index} className="min-w-0 rounded-lg border border-line p-3">
            <legend className="sr-only">{name}</legend>
            <div className="mb-2 flex items-center justify-between gap-2">
              <span aria-hidden className="font-medium">
                {name}
              </span>
              <EntryButtons
                name={name}
                isFirst={index === 0}
                isLast={index === entries.length - 1}
                isOnly={entries.length === 1}
                onMove={(by) => onChange(moved(entries, index, index + by))}
                onRemove={() => onChange(without(entries, index))}
              />
            </div>
            <div className="flex flex-col gap-3">
              {children(entry, index, (next) => onChange(replaced(entries, index, next)))}
            </div>
          </fieldset>
        );
      })}
      <Button className="self-start" disabled={entries.length >= max} onClick={() => onChange([...entries, make()])}>
        {`Add ${noun.toLowerCase()}`}
      </Button>
    </div>
  );
}

interface EntryButtonsProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isOnly: boolean;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

function EntryButtons({ name, isFirst, isLast, isOnly, onMove, onRemove }: EntryButtonsProps) {
  return (
    <div className="flex">
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move ${name} up`}
        aria-disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <ArrowUp aria-hidden className="size-4" />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Move ${name} down`}
        aria-disabled={isLast}
        onClick={() => onMove(1)}
      >
        <ArrowDown aria-hidden className="size-4" />
      </Button>
      <Button variant="ghost" size="icon" aria-label={`Remove ${name}`} disabled={isOnly} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
