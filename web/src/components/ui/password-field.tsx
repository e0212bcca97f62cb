import { Eye, EyeOff } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { TextField } from './field';

interface Props extends Omit<ComponentProps<typeof TextField>, 'type' | 'trailing'> {
  /** What is shown and hidden, as the button says it. */
  readonly what?: string;
}

export function PasswordField({ what = 'password', ...props }: Props) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      trailing={
        <button
          type="button"
          aria-label={shown ? `Hide ${what}` : `Show ${what}`}
          aria-pressed={shown}
          className="mr-1 grid size-8 place-items-center rounded-md text-muted hover:text-text"
          onClick={() => setShown(!shown)}
        >
          <Icon aria-hidden className="size-4" />
        </button>
      }
    />
  );
}
