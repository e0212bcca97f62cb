import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Sparkles } from 'lucide-react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { EarlyAccess } from '@/lib/api/request-schemas';
import { cx } from '@/lib/cx';
import { joinEarlyAccess, placesQuery } from '../api/leads';
import { Honeypot } from './honeypot';

const PLACES = 10;
/** The count is updated later; a response with the result would reveal whether the address is new. */
const COUNTED_AFTER_MS = 2000;

/** How many of the places are free, as the server counts them (spec §9: 10 beta testers, free). One line from the first paint on. */
export function EarlyAccessBanner({ className }: { readonly className?: string }) {
  const { data } = useQuery(placesQuery);
  const of = data?.places ?? PLACES;
  return (
    <p
      className={cx(
        'inline-flex items-center gap-2 rounded-full border border-brand/30 bg-brand-soft px-3.5 py-1.5 font-medium text-brand',
        className,
      )}
    >
      <Sparkles aria-hidden className="size-4 shrink-0" />
      <span>
        {data === undefined
          ? `${of} free early access places`
          : data.left > 0
            ? `${data.left} of ${of} free early access places left`
            : `All ${of} places are filled: join the waiting list`}
      </span>
    </p>
  );
}

interface Props {
  /** `row`: field and button side by side where both fit, as in the hero. */
  readonly layout?: 'column' | 'row';
}

/** Spec §4, §5, §8. Only the email says whether it became a place or a waiting-list entry: the form always responds the same. */
export function EarlyAccessForm({ layout = 'column' }: Props) {
  const client = useQueryClient();
  const countLater = () =>
    setTimeout(() => void client.invalidateQueries({ queryKey: placesQuery.queryKey }), COUNTED_AFTER_MS);
  const send = useCommand(joinEarlyAccess, {
    onSuccess: () => {
      form.reset();
      countLater();
    },
    onError: countLater,
  });
  const form = useRequestForm({ request: EarlyAccess, initial: { email: '', website: '' }, command: send });
  const inRow = layout === 'row';
  return (
    <Form
      form={form}
      native
      className={cx('relative flex flex-col gap-4 text-left', inRow && 'sm:flex-row sm:items-start sm:gap-3')}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        placeholder="you@example.com"
        className={cx(inRow && 'flex-1 [&_input]:h-11 sm:[&>label]:sr-only')}
        {...form.field('email')}
      />
      <Honeypot value={form.values.website} onChange={form.set('website')} />
      <SubmitButton form={form} size="lg">
        {send.isPending ? 'Signing up...' : 'Get Early Access'}
      </SubmitButton>
    </Form>
  );
}
