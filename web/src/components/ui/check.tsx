import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';

interface Props {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly onChange: (checked: boolean) => void;
}

/** A checkbox with its label beside it. */
export function Check({ label, checked, disabled = false, className, onChange }: Props) {
  return (
    <label className={cx('flex cursor-pointer items-center gap-3', className)}>
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-brand"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
