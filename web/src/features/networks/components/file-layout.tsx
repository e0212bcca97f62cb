import { ChevronRight } from 'lucide-react';
import { Table } from '@/components/data/table';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { timezones } from '@/lib/dates';
import { changeMapping, type NetworkImport, type ReportMapping } from '../api/imports';
import { SEPARATORS, valuesOf, withCorrections } from '../lib/mapping';
import { DATE_ORDERS, DECIMAL_MARKS, fieldLabel, fieldsOf } from '../lib/wording';

/** Columns of the sample; a file may have hundreds. */
const MAX_SAMPLE_COLUMNS = 30;
const ENCODINGS = [
  'utf-8',
  'utf-16',
  'cp1252',
  'iso8859-1',
  'iso8859-15',
  'cp1250',
  'cp1251',
  'mac-roman',
  'shift_jis',
];

interface Props {
  readonly of: NetworkImport;
  readonly websiteZone: string;
}

/** How the file is read, folded at first: what was detected, the first rows, and corrections. */
export function FileLayout({ of, websiteZone }: Props) {
  return (
    <details className={cx(surface, 'group')}>
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-xl px-4 py-3.5 font-semibold select-none sm:px-5">
        <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open:rotate-90" />
        How the file is read
      </summary>
      <div className="flex flex-col gap-5 border-t border-line p-4 sm:p-5">
        {of.layout && (
          <LayoutForm key={JSON.stringify(of.layout)} of={of} layout={of.layout} websiteZone={websiteZone} />
        )}
        <Sample headers={of.headers} rows={of.sample} />
      </div>
    </details>
  );
}

interface FormProps extends Props {
  readonly layout: NonNullable<NetworkImport['layout']>;
}

function LayoutForm({ of, layout, websiteZone }: FormProps) {
  const before = valuesOf(layout);
  const change = useCommand(changeMapping(of.importId));
  const form = useRequestForm({
    initial: before,
    rules: {
      currency: (code) =>
        code === '' || /^[A-Z]{3}$/.test(code) ? undefined : 'Please enter a code of three letters, such as EUR',
      headerLine: { minimum: 1, maximum: 1000 },
    },
    command: change,
    input: (after) => withCorrections(of.mapping as ReportMapping, before, after),
  });
  const { columns } = form.values;
  const format = layout['format'];
  return (
    <Form form={form}>
      <fieldset>
        <legend className="mb-2 font-medium">Columns</legend>
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
          {fieldsOf(before.columns).map((field) => (
            <SelectField
              key={field}
              label={fieldLabel(field)}
              value={columns[field] ?? ''}
              onChange={(event) => form.set('columns')({ ...columns, [field]: event.target.value })}
            >
              <option value="">Not in the file</option>
              {of.headers.filter(Boolean).map((header) => (
                <option key={header} value={header}>
                  {header}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-2 font-medium">Values</legend>
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
          <SelectField label="Order of dates" {...form.field('dateOrder')}>
            <Detected label="Ask" />
            <Options of={DATE_ORDERS} />
          </SelectField>
          <SelectField label="Decimal mark" {...form.field('decimalMark')}>
            <Detected label="Ask" />
            <Options of={DECIMAL_MARKS} />
          </SelectField>
          <SelectField label="Time zone" {...form.field('timezone')}>
            <option value="">{`The website’s: ${websiteZone}`}</option>
            {[...new Set([before.timezone, ...timezones()].filter(Boolean))].map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </SelectField>
          <TextField
            label="Currency"
            hint="Of rows that name none."
            placeholder="The website’s"
            autoCapitalize="characters"
            {...form.field('currency')}
            onChange={(event) => form.set('currency')(event.target.value.toUpperCase())}
          />
        </div>
      </fieldset>
      {format !== 'json' && (
        <fieldset>
          <legend className="mb-2 font-medium">File</legend>
          <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
            {format === 'text' && (
              <>
                <SelectField label="Encoding" {...form.field('encoding')}>
                  {[...new Set([before.encoding, ...ENCODINGS].filter(Boolean))].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </SelectField>
                <SelectField label="Separator" {...form.field('separator')}>
                  {!SEPARATORS.some(({ id }) => id === before.separator) && <option>{before.separator}</option>}
                  {SEPARATORS.map(({ id, label }) => (
                    <option key={id} value={id}>
                      {label}
                    </option>
                  ))}
                </SelectField>
              </>
            )}
            {format === 'workbook' && <TextField label="Sheet" {...form.field('sheet')} maxLength={100} />}
            <TextField label="Line of the header" inputMode="numeric" {...form.field('headerLine')} />
          </div>
        </fieldset>
      )}
      <FormError form={form} />
      <div className="flex flex-wrap justify-end gap-2">
        {Object.keys(of.mapping).length > 0 && (
          <Button disabled={form.isPending} onClick={() => change.mutate({})}>
            Detect again
          </Button>
        )}
        <SubmitButton form={form} disabled={!form.isDirty}>
          Read again
        </SubmitButton>
      </div>
    </Form>
  );
}

const Detected = ({ label }: { readonly label: string }) => <option value="">{label}</option>;

const Options = ({ of }: { readonly of: Readonly<Record<string, string>> }) =>
  Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

interface SampleProps {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Sample({ headers, rows }: SampleProps) {
  if (rows.length === 0) return null;
  const shown = headers.slice(0, MAX_SAMPLE_COLUMNS);
  return (
    <section aria-label="First rows">
      <h3 className="mb-2 font-medium">First rows</h3>
      <Table
        dense
        caption="First rows of the file"
        rows={rows}
        rowKey={(_, index) => `${index}`}
        columns={shown.map((header, place) => ({
          id: `${place}`,
          header: header || '–',
          cell: (row: readonly string[]) => (
            <span dir="auto" className="block max-w-64 truncate" title={row[place]}>
              {row[place]}
            </span>
          ),
          className: 'whitespace-nowrap text-[0.8125rem]',
        }))}
      />
      {headers.length > shown.length && (
        <p className="mt-2 text-[0.8125rem] text-muted">{`The first ${shown.length} of ${headers.length} columns.`}</p>
      )}
    </section>
  );
}
