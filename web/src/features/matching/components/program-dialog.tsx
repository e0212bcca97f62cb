import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextArea, TextField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import { partnersQuery } from '@/lib/shared-queries';
import { categoriesQuery, saveProgram, type ProgramEntry } from '../api/directory';
import { draftOf, type ProgramDraft } from '../lib/program-draft';

/** Adds a program, or changes the facts of one. */
export function ProgramDialog({
  program,
  onClose,
}: {
  readonly program: ProgramEntry | null;
  readonly onClose: () => void;
}) {
  const categories = useQuery(categoriesQuery);
  const partners = useQuery(partnersQuery);
  const [draft, setDraft] = useState(() => draftOf(program));
  const set = (part: Partial<ProgramDraft>) => setDraft((before) => ({ ...before, ...part }));
  const text = (
    name: 'companyName' | 'audience' | 'description' | 'url' | 'rate' | 'amount' | 'currency' | 'cookieDays' | 'source',
  ) => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  const saving = useCommand(saveProgram(program?.id ?? null), { onSuccess: onClose });
  function submit(event: FormEvent): void {
    event.preventDefault();
    saving.mutate(draft);
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
          onChange={(event) => set({ commissionType: event.target.value as ProgramDraft['commissionType'] })}
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
          onChange={(event) => set({ approval: event.target.value as ProgramDraft['approval'] })}
        >
          <option value="easy">Easy</option>
          <option value="medium">Medium</option>
          <option value="hard">Hard</option>
        </SelectField>
        <SelectField
          label="Pays"
          value={draft.payment}
          onChange={(event) => set({ payment: event.target.value as ProgramDraft['payment'] })}
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
