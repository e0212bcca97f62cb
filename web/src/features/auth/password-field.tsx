import { Eye, EyeOff } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { TextField } from '@/components/ui/field';

export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'trailing'>) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      trailing={
        <button
          type="button"
          aria-label={shown ? 'Hide password' : 'Show password'}
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
