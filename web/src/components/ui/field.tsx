import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { cx } from '@/lib/cx';

const look =
  'w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-text transition-colors hover:border-line-strong ' +
  'disabled:opacity-55 aria-invalid:border-bad';
const control = `h-9 ${look}`;

interface Frame {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface TextProps extends InputHTMLAttributes<HTMLInputElement>, Frame {
  readonly ref?: Ref<HTMLInputElement>;
  readonly trailing?: ReactNode;
}

/** A labelled input whose hint and error are read with it. */
export function TextField({ label, hint, error, trailing, className, ...rest }: TextProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <div className="relative">
        <input id={id} className={cx(control, trailing && 'pr-11')} {...described(id, hint, error)} {...rest} />
        {trailing && <div className="absolute inset-y-0 right-0 flex items-center">{trailing}</div>}
      </div>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

interface AreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement>, Frame {
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text. */
export function TextArea({ label, hint, error, className, ...rest }: AreaProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <textarea id={id} className={cx(look, 'block resize-y py-2')} {...described(id, hint, error)} {...rest} />
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement>, Frame {
  readonly ref?: Ref<HTMLSelectElement>;
}

export function SelectField({ label, hint, error, className, children, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <select id={id} className={cx(control, selectLook)} {...described(id, hint, error)} {...rest}>
        {children}
      </select>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A select of a toolbar: its label is for screen readers only. */
export function Select({
  label,
  className,
  children,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & { readonly label: string }) {
  return (
    <select
      aria-label={label}
      className={cx(
        'h-9 max-w-full rounded-lg border border-line bg-surface font-medium hover:bg-sunken disabled:opacity-55',
        selectLook,
        'pl-3',
        className,
      )}
      {...rest}
    >
      {children}
    </select>
  );
}

const selectLook = 'chevron appearance-none truncate pr-8';

function described(id: string, hint: ReactNode, error: string | undefined) {
  const by = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ');
  return { 'aria-invalid': error ? true : undefined, 'aria-describedby': by || undefined };
}

function Notes({
  id,
  hint,
  error,
}: {
  readonly id: string;
  readonly hint: ReactNode;
  readonly error: string | undefined;
}) {
  return (
    <>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-[0.8125rem] text-muted">
          {hint}
        </p>
      )}
    </>
  );
}

/** Scrolls to the first error of an invalid form once it is rendered. */
export function focusFirstFault(form: HTMLElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), 0);
}
