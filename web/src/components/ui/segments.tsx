import { cx } from '@/lib/cx';

interface Props<T extends string> {
  /** What is chosen. */
  readonly label: string;
  readonly options: readonly { readonly id: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A few choices side by side, one click each. */
export function Segments<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1 rounded-lg bg-sunken p-1">
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          aria-pressed={option.id === value}
          onClick={() => onChange(option.id)}
          className={cx(
            'rounded-md px-2.5 py-1 text-[0.8125rem] font-medium max-sm:min-h-10',
            option.id === value ? 'bg-surface text-text shadow-card' : 'text-muted hover:text-text',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
