import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { changeCostMapping, type CostImport } from '../api/imports';
import { mappingWith, valuesOf } from '../lib/mapping';
import { FIELDS } from '../lib/platforms';

const ORDERS = [
  ['', 'Detected'],
  ['dmy', 'Day, month, year'],
  ['mdy', 'Month, day, year'],
  ['ymd', 'Year, month, day'],
] as const;
const MARKS = [
  ['', 'Detected'],
  ['.', 'Point: 1,234.50'],
  [',', 'Comma: 1.234,50'],
] as const;

/** How the file is read: answers what it leaves open, and corrects what was detected. */
export function CostMappingForm({ of }: { readonly of: CostImport }) {
  const questions = of.questions ?? [];
  const before = valuesOf(of);
  const form = useRequestForm({
    initial: before,
    command: useCommand(changeCostMapping(of.importId)),
    input: (after) => mappingWith(of.mapping, before, after),
  });
  const { columns } = form.values;
  return (
    <Form form={form}>
      {questions.length > 0 && (
        <ul aria-label="Questions" className="list-disc pl-5 font-medium">
          {questions.map(({ field, message }) => (
            <li key={field}>{message}</li>
          ))}
        </ul>
      )}
      <details open={questions.length > 0}>
        <summary className="cursor-pointer font-medium">How the file is read</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {FIELDS.map(({ id, label }) => (
            <SelectField
              key={id}
              label={label}
              value={columns[id] ?? ''}
              onChange={(event) => form.set('columns')({ ...columns, [id]: event.target.value })}
            >
              <option value="">No column</option>
              {of.headers.filter(Boolean).map((header) => (
                <option key={header}>{header}</option>
              ))}
            </SelectField>
          ))}
          <SelectField label="Order of dates" {...form.field('dateOrder')}>
            {ORDERS.map(([order, label]) => (
              <option key={order} value={order}>
                {label}
              </option>
            ))}
          </SelectField>
          <SelectField label="Decimal mark" {...form.field('decimalMark')}>
            {MARKS.map(([mark, label]) => (
              <option key={mark} value={mark}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Source of the visits"
            hint="As reports name it. Empty: that of the platform."
            {...form.field('source')}
          />
        </div>
      </details>
      <FormError form={form} />
      <div className="flex justify-end">
        <SubmitButton form={form}>Read again</SubmitButton>
      </div>
    </Form>
  );
}
