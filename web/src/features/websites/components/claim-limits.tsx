import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { formatCount, formatMinor, fractionDigits, majorText, MAX_AMOUNT, parseMinor } from '@/lib/format';
import { useSettings } from '../hooks/use-settings';

const MAX_PER_CLICK = 1000;
export function ClaimLimits({ website }: { readonly website: Website }) {
  const save = useSettings(website.id, ['Claim limits saved', `They apply to new claims on ${website.domain}.`]);
  const { currency } = website;
  const limitsOf = (texts: Readonly<Record<'maxClaimAmount' | 'maxClaimsPerClick', string>>) => ({
    maxClaimAmount: parseMinor(texts.maxClaimAmount, currency) ?? website.maxClaimAmount,
    maxClaimsPerClick: parsePerClick(texts.maxClaimsPerClick) ?? website.maxClaimsPerClick,
  });
  const form = useRequestForm({
    initial: {
      maxClaimAmount: majorText({ amount: website.maxClaimAmount, currency }),
      maxClaimsPerClick: String(website.maxClaimsPerClick),
    },
    follow: true,
    rules: {
      maxClaimAmount: (text) => (parseMinor(text, currency) === null ? amountRule(currency) : undefined),
      maxClaimsPerClick: (text) => (parsePerClick(text) === null ? PER_CLICK_RULE : undefined),
    },
    command: save,
    input: (texts) => changesOf(limitsOf(texts), website),
    forget: save.reset,
  });
  const isChanged = !form.isComplete || Object.keys(changesOf(limitsOf(form.values), website)).length > 0;

  return (
    <section aria-label={`Claim limits of ${website.domain}`}>
      <h3 className="font-medium">Claim limits</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        A claim is a sale reported with the public site key only; anyone can read that key in your pages, so limits keep
        fake sales small.
      </p>
      <Form form={form}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label={`Largest claimed sale (${currency})`}
            inputMode="decimal"
            autoComplete="off"
            hint="Larger sales are rejected unless they are reported with a secret key or a postback token."
            {...form.field('maxClaimAmount')}
            maxLength={20}
          />
          <TextField
            label="Claims per click and hour"
            inputMode="numeric"
            autoComplete="off"
            hint="How many sales one click can claim within an hour. Further claims are rejected."
            {...form.field('maxClaimsPerClick')}
            maxLength={5}
          />
        </div>
        <FormError form={form} prefix="Failed to save the limits" />
        <SubmitButton
          form={form}
          variant="outline"
          className="self-start"
          aria-label={`Save limits of ${website.domain}`}
          disabled={!isChanged}
        >
          Save limits
        </SubmitButton>
      </Form>
    </section>
  );
}

type Limits = Pick<Website, 'maxClaimAmount' | 'maxClaimsPerClick'>;

const changesOf = ({ maxClaimAmount, maxClaimsPerClick }: Limits, stored: Limits): Partial<Limits> => ({
  ...(maxClaimAmount === stored.maxClaimAmount ? {} : { maxClaimAmount }),
  ...(maxClaimsPerClick === stored.maxClaimsPerClick ? {} : { maxClaimsPerClick }),
});

const PER_CLICK_RULE = `Enter a whole number from 1 to ${formatCount(MAX_PER_CLICK)}`;

function amountRule(currency: string): string {
  const digits = fractionDigits(currency);
  const decimals = digits === 0 ? 'without decimals' : `with at most ${digits} decimals`;
  return `Enter an amount from ${formatMinor({ amount: 1, currency })} to ${formatMinor({ amount: MAX_AMOUNT, currency })}, ${decimals}`;
}

function parsePerClick(text: string): number | null {
  const count = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return count >= 1 && count <= MAX_PER_CLICK ? count : null;
}
