// The one form idiom: values under the bounds of a request of the OpenAPI document, sent by a command, whose errors show at
// their fields. A dialog that closes at once hands its values to the screen, which runs the command. What sends none (a
// search, a filter) is a `LocalForm`: no request has bounds for it, and a page does not fetch a third of its budget for it.
// So is a text with a draft (`@/lib/storage/drafts`), which has its value already.
import type { UseMutationResult } from '@tanstack/react-query';
import { useLayoutEffect, useRef, type ChangeEvent, type FormEvent, type Ref } from 'react';
import {
  useForm,
  useWatch,
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type PathValue,
  type ResolverResult,
} from 'react-hook-form';
import { ApiError } from '@/lib/api/errors';
import { faultsIn, limitsOf, trimmed, type BoundsOf, type Rule, type RulesOf } from '@/lib/form/rules';

type Name<V> = keyof V & string;
type Rules<V> = { readonly [K in Name<V>]?: Rule<V[K]> };

interface Options<V> {
  /** Constant of `@/lib/api/request-schemas`. */
  readonly request?: BoundsOf;
  readonly initial: V;
  /** Whether the form takes over `initial` each time that it changes. */
  readonly follow?: boolean;
  /** The product's own rules, and bounds that are tighter than the document's; a function where they depend on other values. */
  readonly rules?: Rules<V> | ((values: V) => Rules<V>);
  /** What else has to be there before it can be sent. */
  readonly ready?: (values: V) => boolean;
  /** Forgets at each input what the server rejected: the command's `reset`. */
  readonly forget?: () => void;
}

interface Sent<Input, Output> {
  readonly command: Pick<UseMutationResult<Output, Error, Input>, 'mutate' | 'isPending' | 'error'>;
  /** Once it is sent, while the form is there. */
  readonly onSent?: (output: Output) => void;
}

/** What is sent, where it is not the values. */
type Sending<V, Input> = V extends Input
  ? { readonly input?: (values: V) => Input }
  : { readonly input: (values: V) => Input };

/** Of a form whose screen runs the command: a dialog that closes at once. */
interface Handed<V> {
  readonly onSubmit: (values: V) => void;
}

export interface Field {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly required: boolean | undefined;
  readonly maxLength: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of an input, a select or a text area
  readonly ref: Ref<any>;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => void;
}

export interface SentForm {
  /** What failed, unless it is at a field. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly submit: (event?: FormEvent) => void;
}

export interface RequestForm<V> extends SentForm {
  readonly values: V;
  readonly isDirty: boolean;
  /** It can be sent: the values keep all rules. */
  readonly isComplete: boolean;
  /** Properties of a text's input. */
  readonly field: (name: { [K in Name<V>]: V[K] extends string ? K : never }[Name<V>]) => Field;
  /** What is wrong with a value that has no `field`. */
  readonly fault: (name: Name<V>) => string | undefined;
  readonly set: <K extends Name<V>>(name: K) => (value: V[K]) => void;
  readonly reset: (values?: V) => void;
}

export function useRequestForm<V extends FieldValues, Input, Output>(
  options: Options<V> & ((Sent<Input, Output> & Sending<V, Input>) | Handed<V>),
): RequestForm<V> {
  const { request = {}, initial, follow = false, rules = {}, ready = () => true, forget } = options;
  const command = 'command' in options ? options.command : HANDED;
  const rulesOf = (given: V) => (typeof rules === 'function' ? rules(trimmed(given)) : rules) as RulesOf;
  const faultsNow = (given: V) => faultsIn(given, request, rulesOf(given));
  const form = useForm<V, unknown, V>({
    resolver: (given) => resultOf(given, faultsNow(given)),
    defaultValues: initial as DefaultValues<V>,
    ...(follow ? { values: initial } : {}),
    shouldFocusError: false,
  });
  // The form whose first fault gets the focus once it is drawn: also what is no input may have one.
  const faulty = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    if (!(faulty.current instanceof HTMLElement)) return;
    const fault = faulty.current.querySelector<HTMLElement>('[aria-invalid=true]');
    fault?.focus();
    if (fault) faulty.current = null;
  });
  const values = useWatch({ control: form.control }) as V;
  const { errors, isDirty, isSubmitted } = form.formState;
  const faults = faultsNow(values);
  // A rule may look at other values: what it says is of now, not of the last input in its own field.
  const fault = (name: Name<V>) =>
    (isSubmitted ? faults[name] : undefined) ??
    (errors[name]?.type === 'rule' ? undefined : (errors[name]?.message as string | undefined));
  const forgetFaults = () => {
    faulty.current = null;
    if (!forget) return;
    forget();
    form.clearErrors();
  };
  const send = (given: V, element: EventTarget | null) => {
    if (!ready(given)) return;
    if (!('command' in options)) return options.onSubmit(given);
    const { input = (values: V) => values, onSent } = options as Sent<Input, Output> & { input?: (values: V) => Input };
    options.command.mutate(input(given) as Input, {
      onError: (error) => {
        for (const [name, message] of faultsOf(error, initial)) {
          faulty.current = element;
          form.setError(name as Path<V>, { message });
        }
      },
      onSuccess: (output) => onSent?.(output),
    });
  };
  return {
    values,
    isDirty,
    isComplete: Object.keys(faults).length === 0 && ready(values),
    error: faultsOf(command.error, initial).length > 0 ? null : command.error,
    isPending: command.isPending,
    submit: (event) => {
      event?.preventDefault();
      event?.stopPropagation(); // a dialog's form is, for React, inside the form that opened it
      const element = event?.currentTarget ?? null;
      const onFaults = () => {
        faulty.current = element;
      };
      if (!command.isPending) void form.handleSubmit((given) => send(given, element), onFaults)();
    },
    field: (name) => {
      // Its `onBlur` reads the element: a select whose options are not there yet has no value.
      const { ref, onChange } = form.register(name as unknown as Path<V>);
      return {
        name,
        ref,
        ...limitsOf(name, request, rulesOf(values)),
        value: values[name] as string,
        error: fault(name),
        onChange: (event) => {
          forgetFaults();
          void onChange(event);
        },
      };
    },
    fault,
    set: (name) => (value) => {
      forgetFaults();
      form.setValue(name as unknown as Path<V>, value as PathValue<V, Path<V>>, {
        shouldDirty: true,
        shouldValidate: isSubmitted,
      });
    },
    reset: (next) => form.reset(next),
  };
}

const HANDED = { isPending: false, error: null };

const faultsOf = (error: Error | null, fields: FieldValues): (readonly [string, string])[] =>
  error instanceof ApiError ? Object.entries(error.fields).filter(([name]) => typeof fields[name] === 'string') : [];

const resultOf = <V extends FieldValues>(given: V, faults: Record<string, string>): ResolverResult<V> =>
  Object.keys(faults).length === 0
    ? { values: trimmed(given), errors: {} }
    : {
        values: {},
        errors: Object.fromEntries(
          Object.entries(faults).map(([name, message]) => [name, { type: 'rule', message }]),
        ) as FieldErrors<V>,
      };
