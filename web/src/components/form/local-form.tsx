import type { ComponentProps } from 'react';

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void;
}

/** A form that sends no command: a search, a filter, a choice that only this screen knows. */
export const LocalForm = ({ onSubmit, ...rest }: Props) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
    {...rest}
  />
);
