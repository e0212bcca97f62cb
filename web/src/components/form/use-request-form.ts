// The one form idiom: values under the bounds of a request of the OpenAPI document, sent by a command, whose errors show at
// their fields.
import type { UseMutationResult } from '@tanstack/react-query';
import type { ChangeEvent, FormEvent, Ref } from 'react';
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
import { faultsIn, limitsOf, trimmed, type BoundsOf, type RulesOf } from '@/lib/form-rules';

type Name<V> = keyof V & string;

interface Options<V, Input, Output> {
  /** Constant of `@/lib/api/request-schemas`. */
  readonly request?: BoundsOf;
  readonly initial: V;
  /** Whether the form takes over `initial` each time that it changes. */
  readonly follow?: boolean;
  /** The product's own rules, and bounds that are tighter than the document's. */
  readonly rules?: Partial<Readonly<Record<Name<V>, RulesOf[string]>>>;
  readonly command: Pick<UseMutationResult<Output, Error, Input>, 'mutate' | 'isPending' | 'error'>;
  /** What else has to be there before it can be sent. */
  readonly ready?: (values: V) => boolean;
  /** Once it is sent, while the form is there. */
  readonly onSent?: (output: Output) => void;
}

/** What is sent, where it is not the values. */
type Sending<V, Input> = V extends Input
  ? { readonly input?: (values: V) => Input }
  : { readonly input: (values: V) => Input };

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
  readonly onBlur: (event: { readonly target: unknown; readonly type?: unknown }) => void;
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
  readonly set: <K extends Name<V>>(name: K) => (value: V[K]) => void;
  readonly reset: (values?: V) => void;
}

export function useRequestForm<V extends FieldValues, Input, Output>(
  options: Options<V, Input, Output> & Sending<V, Input>,
): RequestForm<V> {
  const { request = {}, initial, follow = false, rules = {}, command, ready = () => true, onSent } = options;
  const toInput = (options.input ?? ((values: V) => values)) as (values: V) => Input;
  const faultsNow = (given: V) => faultsIn(given, request, rules as RulesOf);
  const form = useForm<V, unknown, V>({
    resolver: (given) => resultOf(given, faultsNow(given)),
    defaultValues: initial as DefaultValues<V>,
    ...(follow ? { values: initial } : {}),
  });
  const values = useWatch({ control: form.control }) as V;
  const { errors, isDirty } = form.formState;
  const showFaults = (error: Error) =>
    faultsOf(error, initial).forEach(([name, message], index) =>
      form.setError(name as Path<V>, { message }, { shouldFocus: index === 0 }),
    );
  const send = form.handleSubmit((given) => {
    if (ready(given)) command.mutate(toInput(given), { onError: showFaults, onSuccess: (output) => onSent?.(output) });
  });
  return {
    values,
    isDirty,
    isComplete: Object.keys(faultsNow(values)).length === 0 && ready(values),
    error: faultsOf(command.error, initial).length > 0 ? null : command.error,
    isPending: command.isPending,
    submit: (event) => {
      event?.preventDefault();
      event?.stopPropagation(); // a dialog's form is, for React, inside the form that opened it
      if (!command.isPending) void send();
    },
    field: (name) => ({
      ...form.register(name as unknown as Path<V>),
      ...limitsOf(name, request, rules as RulesOf),
      value: values[name] as string,
      error: errors[name]?.message as string | undefined,
    }),
    set: (name) => (value) =>
      form.setValue(name as unknown as Path<V>, value as PathValue<V, Path<V>>, {
        shouldDirty: true,
        shouldValidate: form.formState.isSubmitted,
      }),
    reset: (next) => form.reset(next),
  };
}

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
