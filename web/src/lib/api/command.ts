// A command is a value beside the queries that it changes, in the folder `api` of its feature; screens run it with `useCommand`.
import {
  useMutation,
  useQueryClient,
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
} from '@tanstack/react-query';
import { toast, toastError } from '@/stores/toasts';
import { messageOf } from './errors';

/** A toast: its title, with or without a description. */
export type Words = string | readonly [title: string, description?: string];

export interface Command<Input, Output> {
  readonly send: (input: Input) => Promise<Output>;
  /** Queries that are read again after it, whatever its outcome; it is pending until they are. */
  readonly changes?: readonly QueryKey[] | ((input: Input) => readonly QueryKey[]);
  readonly success?: Words | ((output: Output, input: Input) => Words | null);
  /** A title gets the error's message as description. Without it, the screen shows `error`. */
  readonly failure?: string | ((error: Error, input: Input) => Words | null);
  /** Shows what it changes before the server answers; returns how to take that back. */
  readonly expect?: (client: QueryClient, input: Input) => Promise<() => unknown>;
  /** Commands of one queue are sent one after the other: the last word is the last one heard. */
  readonly queue?: string;
}

/** What a screen does after the toast, before the queries are read again. */
export interface After<Input, Output> {
  readonly onSuccess?: (output: Output, input: Input) => unknown;
  readonly onError?: (error: Error, input: Input) => unknown;
}

export const command = <Output, Input = void>(of: Command<Input, Output>): Command<Input, Output> => of;

export function useCommand<Input, Output>(
  { send, changes = [], success, failure, expect, queue }: Command<Input, Output>,
  { onSuccess, onError }: After<Input, Output> = {},
): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient();
  return useMutation<Output, Error, Input, (() => unknown) | undefined>({
    ...(queue ? { scope: { id: queue } } : {}),
    mutationFn: (input) => send(input),
    onMutate: (input) => expect?.(client, input),
    onSuccess: (output, input) => {
      const words = typeof success === 'function' ? success(output, input) : success;
      if (words) toast(...partsOf(words));
      return onSuccess?.(output, input);
    },
    onError: (error, input, takeBack) => {
      takeBack?.();
      if (typeof failure === 'string') toastError(failure, messageOf(error));
      const words = typeof failure === 'function' ? failure(error, input) : null;
      if (words) toastError(...partsOf(words));
      return onError?.(error, input);
    },
    onSettled: (_output, _error, input) => {
      const keys = typeof changes === 'function' ? changes(input) : changes;
      return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

const partsOf = (words: Words): readonly [string, string?] => (typeof words === 'string' ? [words] : words);
