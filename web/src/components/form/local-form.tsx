import type { ComponentProps, SubmitEvent } from 'react';

interface Props extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/** A form that sends no command: a search, a filter, a choice that only this screen knows. Or one whose text is a draft,
 * stored in the browser as it is written: a post, a question, an idea. */
export const LocalForm = ({ onSubmit, ...rest }: Props) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit(event);
    }}
    {...rest}
  />
);
