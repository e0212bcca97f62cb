import { Plus, Trash2 } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import type { TermsDraft, TierDraft } from '../lib/terms';

interface Props {
  readonly draft: TermsDraft;
  readonly onChange: (draft: TermsDraft) => void;
  readonly error: string | undefined;
}

const CURRENCIES = ['USD', 'EUR', 'GBP', 'ISK', 'CAD', 'AUD', 'CHF', 'SEK', 'NOK', 'DKK', 'JPY'];
const MAX_TIERS = 10;

/** Percent, flat or per lead, with tiers, hold and automatic approval. */
export function TermsEditor({ draft, onChange, error }: Props) {
  const set = (change: Partial<TermsDraft>) => onChange({ ...draft, ...change });
  const setTier = (place: number, change: Partial<TierDraft>) =>
    set({ tiers: draft.tiers.map((tier, index) => (index === place ? { ...tier, ...change } : tier)) });
  const isPercent = draft.kind === 'percent';
  const rateLabel = isPercent ? 'Commission (%)' : `Amount (${draft.currency})`;
  return (
    <fieldset
      className="flex flex-col gap-4 rounded-lg border border-line p-4"
      aria-describedby={error ? 'terms-error' : undefined}
    >
      <legend className="px-1 font-medium">Commission</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Kind"
          value={draft.kind}
          onChange={(event) => set({ kind: event.target.value as TermsDraft['kind'] })}
        >
          <option value="percent">Percent of each sale</option>
          <option value="flat">Flat fee per sale (CPA)</option>
          <option value="per_lead">Fee per lead (CPL)</option>
        </SelectField>
        <TextField
          label={rateLabel}
          inputMode="decimal"
          value={draft.rate}
          onChange={(event) => set({ rate: event.target.value })}
        />
        {!isPercent && (
          <CurrencyField label="Currency" value={draft.currency} onChange={(currency) => set({ currency })} />
        )}
      </div>
      {draft.tiers.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Tiers count"
            value={draft.tiersBy}
            onChange={(event) => set({ tiersBy: event.target.value as TermsDraft['tiersBy'] })}
            hint="Per website and month (UTC)."
          >
            <option value="conversions">Conversions</option>
            <option value="revenue">Commission earned</option>
          </SelectField>
          {draft.tiersBy === 'revenue' && (
            <CurrencyField
              label="Currency of tiers"
              value={draft.tiersCurrency}
              onChange={(tiersCurrency) => set({ tiersCurrency })}
            />
          )}
        </div>
      )}
      {draft.tiers.map((tier, index) => (
        // A tier has no identity but its place.
        <div key={index} role="group" aria-label={`Tier ${index + 1}`} className="flex items-end gap-2">
          <TextField
            className="min-w-0 flex-1"
            label="From"
            inputMode="decimal"
            value={tier.atLeast}
            onChange={(event) => setTier(index, { atLeast: event.target.value })}
          />
          <TextField
            className="min-w-0 flex-1"
            label={rateLabel}
            inputMode="decimal"
            value={tier.rate}
            onChange={(event) => setTier(index, { rate: event.target.value })}
          />
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove tier ${index + 1}`}
            onClick={() => set({ tiers: draft.tiers.filter((_, place) => place !== index) })}
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      ))}
      {draft.tiers.length < MAX_TIERS && (
        <Button
          size="sm"
          className="self-start"
          onClick={() => set({ tiers: [...draft.tiers, { atLeast: '', rate: '' }] })}
        >
          <Plus aria-hidden className="size-3.5" />
          Add tier
        </Button>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Hold (days)"
          type="number"
          min={0}
          max={365}
          value={draft.holdDays}
          onChange={(event) => set({ holdDays: event.target.value })}
          hint="Days before an approved sale becomes payable."
        />
        <TextField
          label="Auto-approve after (days)"
          type="number"
          min={0}
          max={365}
          value={draft.autoApproveDays}
          onChange={(event) => set({ autoApproveDays: event.target.value })}
          hint="Leave blank to approve manually."
        />
      </div>
      {error && (
        <p id="terms-error" role="alert" className="text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function CurrencyField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (currency: string) => void;
}) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {(CURRENCIES.includes(value) ? CURRENCIES : [value, ...CURRENCIES]).map((code) => (
        <option key={code} value={code}>
          {code}
        </option>
      ))}
    </SelectField>
  );
}
