import type { ComponentProps, ReactNode } from 'react';
import { Dialog } from '@/components/ui/dialog';
import { Form, FormFooter } from './form';

interface Props extends ComponentProps<typeof FormFooter> {
  readonly title: string;
  readonly description?: ReactNode;
  readonly drawer?: boolean;
  readonly native?: boolean;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A dialog that is a form: its fields, what failed, and the buttons that send or leave it. */
export const FormDialog = ({
  title,
  description,
  drawer = false,
  native = false,
  className,
  children,
  ...footer
}: Props) => (
  <Dialog
    open
    onOpenChange={(open) => !open && footer.onClose()}
    title={title}
    {...(description === undefined ? {} : { description })}
    {...(drawer ? { as: 'drawer' } : {})}
  >
    <Form form={footer.form} native={native} {...(className ? { className } : {})}>
      {children}
      <FormFooter {...footer} />
    </Form>
  </Dialog>
);
