import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, SelectField, TextField } from '@/components/ui/field';
import type { Partner, Website } from '@/lib/api/types';
import { formatIn, todayIn } from '@/lib/dates';
import { formatMinor, majorText, parseMinor } from '@/lib/format';
import {
  FILE_TYPES,
  MAX_FILE_BYTES,
  type PartnerBalance,
  type Payout,
  type PayoutDraft,
  type PayoutToSave,
} from '../api/payouts';

interface Props {
  readonly website: Pick<Website, 'currency' | 'timezone' | 'domain'>;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
  readonly balances: readonly PartnerBalance[];
  /** The partner that is chosen first; its debt is the amount that is offered. */
  readonly partnerId: string | null;
  /** The one that is corrected. */
  readonly payout: Payout | null;
  readonly onClose: () => void;
  readonly onSave: (saved: PayoutToSave) => void;
}

const CURRENCIES = ['USD', 'EUR', 'GBP', 'ISK', 'SEK', 'NOK', 'DKK', 'CHF', 'CAD', 'AUD', 'JPY', 'PLN'];

/** Records what a partner paid, or corrects it by a further event. */
export function PayoutDialog({ website, partners, balances, partnerId, payout, onClose, onSave }: Props) {
  const [partner, setPartner] = useState(payout?.partnerId ?? partnerId ?? '');
  const owedBy = (id: string) => balances.find((item) => item.partnerId === id)?.owed ?? 0;
  const offered = (id: string) => (owedBy(id) > 0 ? majorText({ amount: owedBy(id), currency: website.currency }) : '');
  const [currency, setCurrency] = useState(payout?.amount.currency ?? website.currency);
  const [amount, setAmount] = useState(payout ? majorText(payout.amount) : offered(partner));
  const [credited, setCredited] = useState(payout ? majorText(payout.credited) : '');
  const [paidOn, setPaidOn] = useState(payout?.paidOn ?? todayIn(website.timezone));
  const [reference, setReference] = useState(payout?.reference ?? '');
  const [byHand, setByHand] = useState((payout?.allocations.length ?? 0) > 0);
  const [parts, setParts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(
      (payout?.allocations ?? []).map((one) => [
        one.month,
        majorText({ amount: one.amount, currency: website.currency }),
      ]),
    ),
  );
  const [file, setFile] = useState<File | null>(null);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);

  const isForeign = currency !== website.currency;
  const paid = parseMinor(amount, currency);
  const settles = isForeign ? parseMinor(credited, website.currency) : paid;
  const months = balances.find((item) => item.partnerId === partner)?.months ?? [];
  const open = months.filter((month) => month.payable > month.paid || parts[month.month]);
  const allocations = Object.entries(parts).flatMap(([month, text]) => {
    const value = text.trim() === '' ? null : parseMinor(text, website.currency);
    return text.trim() === '' ? [] : [{ month, amount: value }];
  });
  const matched = allocations.reduce((sum, one) => sum + (one.amount ?? 0), 0);
  const faults = {
    partner: partner === '' ? 'Please choose a partner' : undefined,
    amount: !paid ? `Please enter a valid amount in ${currency}` : undefined,
    credited: isForeign && !settles ? `Please enter the value in ${website.currency}` : undefined,
    paidOn: paidOn === '' ? 'Please enter the date' : undefined,
    months: !byHand
      ? undefined
      : allocations.some((one) => !one.amount)
        ? `Please enter valid amounts in ${website.currency}`
        : settles && matched > settles
          ? 'The months add up to more than the payout'
          : undefined,
    file: file && file.size > MAX_FILE_BYTES ? 'A file may have at most 1 MB' : undefined,
    reason: payout && reason.trim() === '' ? 'Please give a reason' : undefined,
  };
  const fault = (name: keyof typeof faults) => (tried ? faults[name] : undefined);
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (Object.values(faults).some(Boolean) || !paid) {
      focusFirstFault(event.currentTarget);
      return;
    }
    const draft: PayoutDraft = {
      amount: { amount: paid, currency },
      credited: isForeign ? settles : null,
      paidOn,
      reference: reference.trim(),
      allocations: byHand ? allocations.map((one) => ({ month: one.month, amount: one.amount ?? 0 })) : null,
    };
    onSave({
      draft,
      partnerId: partner,
      file,
      correction: payout ? { id: payout.id, reason: reason.trim() } : null,
    });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={payout ? 'Correct payout' : 'Record payout'}
      description={
        payout
          ? 'The earlier values stay in its history. Balances update immediately.'
          : `What a partner paid you for ${website.domain}.`
      }
    >
      <form onSubmit={submit} noValidate className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Partner"
          className="sm:col-span-2"
          value={partner}
          disabled={payout !== null}
          error={fault('partner')}
          hint={partner ? `Owed: ${formatMinor({ amount: owedBy(partner), currency: website.currency })}` : undefined}
          onChange={(event) => {
            setPartner(event.target.value);
            if (!isForeign) setAmount(offered(event.target.value));
            setParts({});
          }}
        >
          <option value="">Choose a partner</option>
          {partners.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Amount"
          inputMode="decimal"
          value={amount}
          error={fault('amount')}
          onChange={(event) => setAmount(event.target.value)}
        />
        <SelectField label="Currency" value={currency} onChange={(event) => setCurrency(event.target.value)}>
          {[...new Set([website.currency, currency, ...CURRENCIES])].map((code) => (
            <option key={code}>{code}</option>
          ))}
        </SelectField>
        {isForeign && (
          <TextField
            label={`Value in ${website.currency}`}
            className="sm:col-span-2"
            inputMode="decimal"
            value={credited}
            error={fault('credited')}
            hint="The amount your bank credited."
            onChange={(event) => setCredited(event.target.value)}
          />
        )}
        <TextField
          label="Paid on"
          type="date"
          value={paidOn}
          min="1990-01-01"
          max={todayIn(website.timezone)}
          error={fault('paidOn')}
          onChange={(event) => setPaidOn(event.target.value)}
        />
        <TextField
          label="Reference (optional)"
          maxLength={200}
          value={reference}
          onChange={(event) => setReference(event.target.value)}
        />
        <fieldset className="sm:col-span-2">
          <legend className="mb-1.5 font-medium">Match to</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            <label className="flex items-center gap-2">
              <input
                type="radio"
                name="match"
                className="size-4 accent-brand"
                checked={!byHand}
                onChange={() => setByHand(false)}
              />
              Oldest open months
            </label>
            <label className="flex items-center gap-2">
              <input
                type="radio"
                name="match"
                className="size-4 accent-brand"
                checked={byHand}
                onChange={() => setByHand(true)}
              />
              Months I choose
            </label>
          </div>
          {byHand && (
            <div className="mt-3 grid gap-2">
              {open.length === 0 && <p className="text-muted">No month of this partner is open.</p>}
              {open.map((month) => (
                <label key={month.month} className="flex items-center justify-between gap-3">
                  <span>
                    {monthName(month.month)}
                    <span className="ml-2 text-[0.8125rem] text-muted">
                      {formatMinor({ amount: month.payable - month.paid, currency: website.currency })} open
                    </span>
                  </span>
                  <input
                    aria-label={`Amount for ${monthName(month.month)}`}
                    inputMode="decimal"
                    className="h-9 w-32 rounded-lg border border-line bg-surface px-3 text-right tabular"
                    value={parts[month.month] ?? ''}
                    onChange={(event) => setParts({ ...parts, [month.month]: event.target.value })}
                  />
                </label>
              ))}
              {fault('months') && (
                <p role="alert" className="text-[0.8125rem] text-bad">
                  {fault('months')}
                </p>
              )}
            </div>
          )}
        </fieldset>
        <TextField
          label="File (optional)"
          type="file"
          accept={FILE_TYPES}
          className="sm:col-span-2 [&_input]:py-1.5"
          error={fault('file')}
          hint="The partner’s payment advice: PDF, PNG, JPEG or WebP, at most 1 MB. Stored encrypted."
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        {payout && (
          <TextField
            label="Reason"
            className="sm:col-span-2"
            value={reason}
            error={fault('reason')}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        <div className="flex justify-end gap-2 sm:col-span-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            {payout ? 'Correct payout' : 'Record payout'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export const monthName = (month: string): string => formatIn(`${month}-01`, 'UTC', { month: 'short', year: 'numeric' });
