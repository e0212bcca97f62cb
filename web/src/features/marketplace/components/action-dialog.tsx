import type { ReactNode } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';

export interface ActionProps {
  readonly title: string;
  readonly description: ReactNode;
  /** The word on the button that does it. */
  readonly action: string;
  readonly danger?: boolean;
  readonly doing: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Confirmation of a binding action. It stays open until the action is done, and shows errors. */
export function ActionDialog({ doing, onConfirm, ...dialog }: ActionProps) {
  const { submit } = useRequestForm({ initial: {}, onSubmit: onConfirm });
  return <FormDialog form={{ ...doing, submit }} {...dialog} />;
}
