import { TextField } from '../ui/field';
import { focusOnMount } from '../ui/focus';
import { bareCode, CODE_LENGTH, type Factor } from './factor';

interface Props {
  readonly value: Factor;
  readonly onChange: (value: Factor) => void;
  readonly error?: string | undefined;
  /** Focus the field when it appears. */
  readonly focused?: boolean;
}

/** The code of an authenticator; a recovery code has an input of its own. */
export function FactorField({ value, onChange, error, focused = false }: Props) {
  const recovery = value.kind === 'recovery';
  return (
    <div>
      {recovery ? (
        <TextField
          key="recovery"
          label="Recovery code"
          hint="One of your ten saved recovery codes. Each works once."
          ref={focusOnMount}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="characters"
          className="[&_input]:font-mono"
          error={error}
          value={value.text}
          onChange={(event) => onChange({ kind: 'recovery', text: event.target.value })}
        />
      ) : (
        <CodeField
          value={value.text}
          onChange={(text) => onChange({ kind: 'code', text })}
          error={error}
          focused={focused}
        />
      )}
      <button
        type="button"
        className="mt-2 rounded-md text-[0.8125rem] font-medium text-brand underline-offset-4 hover:underline"
        onClick={() => onChange({ kind: recovery ? 'code' : 'recovery', text: '' })}
      >
        {recovery ? 'Use a code from your app' : 'Use a recovery code'}
      </button>
    </div>
  );
}

interface CodeProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  /** Focus the field when it appears. */
  readonly focused?: boolean;
}

export function CodeField({ value, onChange, error, focused = false }: CodeProps) {
  return (
    <TextField
      key="code"
      label="Two-factor code"
      hint="The six-digit code from your authenticator app."
      ref={focused ? focusOnMount : undefined}
      inputMode="numeric"
      autoComplete="one-time-code"
      className="[&_input]:text-center [&_input]:text-lg [&_input]:tracking-[0.4em]"
      error={error}
      value={value}
      onChange={(event) => onChange(bareCode(event.target.value).slice(0, CODE_LENGTH))}
    />
  );
}
