import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { focusFirstFault, TextField } from '@/components/ui/field';
import { ApiError } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { formatCount, formatMinor, fractionDigits, majorText, MAX_AMOUNT, parseMinor } from '@/lib/format';
import { useSettings } from '../hooks/use-settings';

const MAX_PER_CLICK = 1000;
const FIELDS = { amount: 'maxClaimAmount', perClick: 'maxClaimsPerClick' } as const;

/** Input; untouched fields show stored values. */
interface Draft {
  readonly amount?: string;
  readonly perClick?: string;
}

export function ClaimLimits({ website }: { readonly website: Website }) {
  const [draft, setDraft] = useState<Draft>({});
  const [tried, setTried] = useState(false);
  const save = useSettings(website.id, ['Claim limits saved', `They apply to new claims on ${website.domain}.`]);
  const { currency } = website;
  const stored = {
    amount: majorText({ amount: website.maxClaimAmount, currency }),
    perClick: String(website.maxClaimsPerClick),
  };
  const { amount, perClick } = { ...stored, ...draft };
  const limits = { maxClaimAmount: parseMinor(amount, currency), maxClaimsPerClick: parsePerClick(perClick) };
  const isChanged =
    limits.maxClaimAmount !== website.maxClaimAmount || limits.maxClaimsPerClick !== website.maxClaimsPerClick;
  const refused = save.error instanceof ApiError ? save.error.fields : {};
  const errors = {
    amount: (tried && limits.maxClaimAmount === null ? amountRule(currency) : undefined) ?? refused[FIELDS.amount],
    perClick: (tried && limits.maxClaimsPerClick === null ? PER_CLICK_RULE : undefined) ?? refused[FIELDS.perClick],
  };

  const type = (change: Draft) => {
    setDraft({ ...draft, ...change });
    save.reset();
  };
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { maxClaimAmount, maxClaimsPerClick } = limits;
    setTried(true);
    if (maxClaimAmount === null || maxClaimsPerClick === null) {
      focusFirstFault(form);
      return;
    }
    const changed = {
      ...(maxClaimAmount === website.maxClaimAmount ? {} : { maxClaimAmount }),
      ...(maxClaimsPerClick === website.maxClaimsPerClick ? {} : { maxClaimsPerClick }),
    };
    save.mutate(changed, {
      onSuccess: () => {
        setDraft({});
        setTried(false);
      },
      onError: () => focusFirstFault(form),
    });
  };

  return (
    <section aria-label={`Claim limits of ${website.domain}`}>
      <h3 className="font-medium">Claim limits</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        A claim is a sale reported with the public site key only; anyone can read that key in your pages, so limits keep
        fake sales small.
      </p>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label={`Largest claimed sale (${currency})`}
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            value={amount}
            error={errors.amount}
            hint="Larger sales are rejected unless they are reported with a secret key or a postback token."
            onChange={(event) => type({ amount: event.target.value })}
          />
          <TextField
            label="Claims per click and hour"
            inputMode="numeric"
            autoComplete="off"
            maxLength={5}
            value={perClick}
            error={errors.perClick}
            hint="How many sales one click can claim within an hour. Further claims are rejected."
            onChange={(event) => type({ perClick: event.target.value })}
          />
        </div>
        {save.error && !refused[FIELDS.amount] && !refused[FIELDS.perClick] && (
          <ErrorBox error={save.error} prefix="Failed to save the limits" />
        )}
        <Button
          type="submit"
          className="self-start"
          aria-label={`Save limits of ${website.domain}`}
          busy={save.isPending}
          disabled={!isChanged}
        >
          Save limits
        </Button>
      </form>
    </section>
  );
}

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
