import type { ReactNode } from 'react';
import { TextField } from '@/components/ui/field';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onBlur?: () => void;
  readonly error?: string | undefined;
  readonly hint?: ReactNode;
  readonly required?: boolean;
}

export const WHOLE_DOLLARS = 'Please enter whole US dollars, like 25000';

/** An amount in whole US dollars, as the marketplace API expects it. */
export function DollarsField({ label, value, onChange, onBlur, error, hint, required = false }: Props) {
  return (
    <TextField
      label={`${label} (US dollars)`}
      inputMode="numeric"
      maxLength={20}
      autoComplete="off"
      value={value}
      required={required}
      error={error}
      hint={hint}
      {...(onBlur ? { onBlur } : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
