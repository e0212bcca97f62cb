import type { ComponentProps, ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import type { SentForm } from './use-request-form';

interface Props extends Omit<ComponentProps<'form'>, 'form' | 'onSubmit'> {
  readonly form: SentForm;
  /** Whether the browser checks what is required, before the form's own rules. */
  readonly native?: boolean;
}

export const Form = ({ form, native = false, className = 'flex flex-col gap-4', ...rest }: Props) => (
  <form noValidate={!native} className={className} onSubmit={form.submit} {...rest} />
);

interface ErrorProps {
  readonly form: SentForm;
  readonly prefix?: string;
  readonly className?: string;
}

/** Why it was not sent, where no field says it. */
export const FormError = ({ form, ...rest }: ErrorProps) => form.error && <ErrorBox error={form.error} {...rest} />;

export const SubmitButton = ({
  form,
  ...rest
}: { readonly form: SentForm } & Omit<ComponentProps<typeof Button>, 'form'>) => (
  <Button type="submit" variant="primary" busy={form.isPending} {...rest} />
);

interface FooterProps {
  readonly form: SentForm;
  readonly action: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly prefix?: string;
  readonly onClose: () => void;
}

/** The end of a dialog's form: what failed, and the buttons. */
export const FormFooter = ({ form, action, danger = false, disabled = false, prefix, onClose }: FooterProps) => (
  <>
    <FormError form={form} {...(prefix ? { prefix } : {})} />
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <SubmitButton form={form} variant={danger ? 'danger' : 'primary'} disabled={disabled}>
        {action}
      </SubmitButton>
    </div>
  </>
);
