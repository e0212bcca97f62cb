import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextArea, TextField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { parseMinor, toMajor } from '@/lib/format';
import { partnersQuery } from '@/lib/shared-queries';
import { toast } from '@/stores/toasts';
import { categoriesQuery, saveProgram, type ProgramEntry, type ProgramInput } from '../api/directory';

interface Draft {
  readonly companyName: string;
  readonly category: string;
  readonly audience: string;
  readonly description: string;
  readonly url: string;
  readonly commissionType: ProgramInput['commissionType'];
  readonly rate: string;
  readonly amount: string;
  readonly currency: string;
  readonly recurring: boolean;
  readonly cookieDays: string;
  readonly approval: ProgramInput['approval'];
  readonly payment: ProgramInput['payment'];
  readonly source: string;
  readonly partnerId: string;
}

const draftOf = (program: ProgramEntry | null): Draft => ({
  companyName: program?.companyName ?? '',
  category: program?.category ?? '',
  audience: program?.audience ?? '',
  description: program?.description ?? '',
  url: program?.url ?? 'https://',
  commissionType: program?.commissionType ?? 'percentage',
  rate: program?.commissionRate ? String(program.commissionRate) : '',
  amount: program?.commissionAmount ? String(toMajor(program.commissionAmount)) : '',
  currency: program?.commissionAmount?.currency ?? 'USD',
  recurring: program?.recurring ?? false,
  cookieDays: String(program?.cookieDays ?? 30),
  approval: program?.approval ?? 'medium',
  payment: program?.payment ?? 'monthly',
  source: program?.source ?? '',
  partnerId: program?.partnerId ?? '',
});

function given(draft: Draft): ProgramInput {
  const { rate, amount, currency, cookieDays, partnerId, ...rest } = draft;
  const share = draft.commissionType === 'flat' ? 0 : Number(rate.replace(',', '.'));
  const minor = draft.commissionType === 'percentage' ? null : parseMinor(amount, currency);
  if (draft.commissionType !== 'percentage' && minor === null)
    throw new Error('The amount is not valid for that currency.');
  return {
    ...rest,
    commissionRate: share,
    commissionAmount: minor === null ? null : { amount: minor, currency },
    cookieDays: Number(cookieDays),
    partnerId: partnerId || null,
  };
}

/** Adds a program, or changes the facts of one. */
export function ProgramDialog({
  program,
  onClose,
}: {
  readonly program: ProgramEntry | null;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const categories = useQuery(categoriesQuery);
  const partners = useQuery(partnersQuery);
  const [draft, setDraft] = useState(() => draftOf(program));
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const text = (
    name: 'companyName' | 'audience' | 'description' | 'url' | 'rate' | 'amount' | 'currency' | 'cookieDays' | 'source',
  ) => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const saving = useMutation({
    mutationFn: async () => saveProgram(program?.id ?? null, given(draft)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['programs'] });
      toast(program ? 'Program changed' : 'Program added', draft.companyName);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    saving.mutate();
  }
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(shown) => !shown && onClose()}
      title={program ? `Edit ${program.companyName}` : 'Add program'}
      description="Program details in your own words, as stated on the program's website."
    >
      <form onSubmit={submit} className="grid gap-4 sm:grid-cols-2">
        <TextField label="Company" required maxLength={100} disabled={program !== null} {...text('companyName')} />
        <SelectField
          label="Category"
          required
          value={draft.category}
          onChange={(event) => set({ category: event.target.value })}
        >
          <option value="">Choose…</option>
          {categories.data?.map((one) => (
            <option key={one.key} value={one.key}>
              {one.name}
            </option>
          ))}
        </SelectField>
        <TextArea
          className="sm:col-span-2"
          label="Description"
          required
          rows={3}
          maxLength={2000}
          {...text('description')}
        />
        <TextField className="sm:col-span-2" label="Audience" maxLength={500} {...text('audience')} />
        <TextField
          className="sm:col-span-2"
          type="url"
          label="Application page"
          required
          maxLength={2048}
          {...text('url')}
        />
        <SelectField
          label="Commission"
          value={draft.commissionType}
          onChange={(event) => set({ commissionType: event.target.value as Draft['commissionType'] })}
        >
          <option value="percentage">Percentage</option>
          <option value="flat">Flat fee</option>
          <option value="hybrid">Both</option>
        </SelectField>
        {draft.commissionType !== 'flat' && (
          <TextField
            type="number"
            step={0.01}
            min={0.01}
            max={100}
            label="Percent of the sale"
            required
            {...text('rate')}
          />
        )}
        {draft.commissionType !== 'percentage' && (
          <>
            <TextField inputMode="decimal" label="Amount" required {...text('amount')} />
            <TextField
              label="Currency"
              required
              pattern="[A-Z]{3}"
              maxLength={3}
              hint="ISO code, as in USD"
              {...text('currency')}
            />
          </>
        )}
        <Check
          className="self-end pb-2"
          label="Recurring: paid with each renewal"
          checked={draft.recurring}
          onChange={(recurring) => set({ recurring })}
        />
        <TextField
          type="number"
          min={0}
          max={3650}
          step={1}
          label="Cookie days"
          required
          hint="0 = session cookie"
          {...text('cookieDays')}
        />
        <SelectField
          label="Approval"
          value={draft.approval}
          onChange={(event) => set({ approval: event.target.value as Draft['approval'] })}
        >
          <option value="easy">Easy</option>
          <option value="medium">Medium</option>
          <option value="hard">Hard</option>
        </SelectField>
        <SelectField
          label="Pays"
          value={draft.payment}
          onChange={(event) => set({ payment: event.target.value as Draft['payment'] })}
        >
          <option value="weekly">Weekly</option>
          <option value="biweekly">Every two weeks</option>
          <option value="monthly">Monthly</option>
          <option value="quarterly">Quarterly</option>
          <option value="on_request">On request</option>
        </SelectField>
        <SelectField
          label="Linked partner"
          hint="Its results count in scores. Blank = matched by URL"
          value={draft.partnerId}
          onChange={(event) => set({ partnerId: event.target.value })}
        >
          <option value="">None</option>
          {partners.data?.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </SelectField>
        <TextField
          className="sm:col-span-2"
          label="Source"
          required
          maxLength={500}
          hint="Source of these details"
          {...text('source')}
        />
        {saving.error && <ErrorBox className="sm:col-span-2" error={saving.error} />}
        <div className="flex justify-end gap-2 sm:col-span-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={saving.isPending}>
            {program ? 'Save' : 'Add program'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
