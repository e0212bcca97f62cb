import { useQuery } from '@tanstack/react-query';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextArea, TextField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import { ProgramGiven } from '@/lib/api/request-schemas';
import { partnersQuery } from '@/lib/api/shared-queries';
import { categoriesQuery, saveProgram, type ProgramEntry } from '../api/directory';
import { draftOf } from '../lib/program-draft';

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
  const form = useRequestForm({
    request: ProgramGiven,
    initial: draftOf(program),
    rules: ({ commissionType }) => ({
      ...(commissionType === 'flat' ? {} : { rate: { required: true, minimum: 0.01, maximum: 100 } }),
      ...(commissionType === 'percentage'
        ? {}
        : { amount: { required: true }, currency: { required: true, maxLength: 3 } }),
    }),
    command: useCommand(saveProgram(program?.id ?? null), { onSuccess: onClose }),
  });
  const { commissionType, recurring } = form.values;
  return (
    <FormDialog
      form={form}
      drawer
      native
      title={program ? `Edit ${program.companyName}` : 'Add program'}
      description="Program details in your own words, as stated on the program's website."
      action={program ? 'Save' : 'Add program'}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Company" disabled={program !== null} {...form.field('companyName')} />
        <SelectField label="Category" {...form.field('category')}>
          <option value="">Choose…</option>
          {categories.data?.map((one) => (
            <option key={one.key} value={one.key}>
              {one.name}
            </option>
          ))}
        </SelectField>
        <TextArea className="sm:col-span-2" label="Description" rows={3} {...form.field('description')} />
        <TextField className="sm:col-span-2" label="Audience" {...form.field('audience')} />
        <TextField className="sm:col-span-2" type="url" label="Application page" {...form.field('url')} />
        <SelectField label="Commission" {...form.field('commissionType')}>
          <option value="percentage">Percentage</option>
          <option value="flat">Flat fee</option>
          <option value="hybrid">Both</option>
        </SelectField>
        {commissionType !== 'flat' && (
          <TextField type="number" step={0.01} label="Percent of the sale" {...form.field('rate')} />
        )}
        {commissionType !== 'percentage' && (
          <>
            <TextField inputMode="decimal" label="Amount" {...form.field('amount')} />
            <TextField label="Currency" pattern="[A-Z]{3}" hint="ISO code, as in USD" {...form.field('currency')} />
          </>
        )}
        <Check
          className="self-end pb-2"
          label="Recurring: paid with each renewal"
          checked={recurring}
          onChange={form.set('recurring')}
        />
        <TextField type="number" step={1} label="Cookie days" hint="0 = session cookie" {...form.field('cookieDays')} />
        <SelectField label="Approval" {...form.field('approval')}>
          <option value="easy">Easy</option>
          <option value="medium">Medium</option>
          <option value="hard">Hard</option>
        </SelectField>
        <SelectField label="Pays" {...form.field('payment')}>
          <option value="weekly">Weekly</option>
          <option value="biweekly">Every two weeks</option>
          <option value="monthly">Monthly</option>
          <option value="quarterly">Quarterly</option>
          <option value="on_request">On request</option>
        </SelectField>
        <SelectField
          label="Linked partner"
          hint="Its results count in scores. Blank = matched by URL"
          {...form.field('partnerId')}
        >
          <option value="">None</option>
          {partners.data?.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </SelectField>
        <TextField className="sm:col-span-2" label="Source" hint="Source of these details" {...form.field('source')} />
      </div>
    </FormDialog>
  );
}
