import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';

interface Props {
  readonly label: ReactNode;
  /** The accessible name, where the label alone does not say enough. */
  readonly name?: string;
  /** The id of a text that explains it. */
  readonly describedBy?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly onChange: (checked: boolean) => void;
}

/** A checkbox with its label beside it. */
export function Check({ label, name, describedBy, checked, disabled = false, className, onChange }: Props) {
  return (
    <label className={cx('flex cursor-pointer items-center gap-2.5 [overflow-wrap:anywhere]', className)}>
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-brand"
        aria-label={name}
        aria-describedby={describedBy}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
