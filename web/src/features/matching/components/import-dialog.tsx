import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Table } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { checkPrograms, importPrograms } from '../api/directory';

const COLUMNS =
  'company_name, category, description, url, commission_type (percentage, flat, hybrid), cookie_days, approval (easy, medium, hard), payment (weekly, biweekly, monthly, quarterly, on_request), source; and audience, commission_percent, commission_amount, currency, recurring, partner_id';

const MAX_CHARACTERS = 900_000;

/** First what would come of the file, then the file itself; with a fault nothing is imported. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [csv, setCsv] = useState('');
  const [tooLong, setTooLong] = useState(false);
  const trying = useCommand(checkPrograms);
  const importing = useCommand(importPrograms, {
    onSuccess: ({ applied }, file) => (applied ? onClose() : trying.mutate(file)),
  });
  const found = trying.data;
  const change = (text: string) => {
    setTooLong(text.length > MAX_CHARACTERS);
    setCsv(text.length > MAX_CHARACTERS ? '' : text);
    trying.reset();
    importing.reset();
  };
  const error = trying.error ?? importing.error;
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(shown) => !shown && onClose()}
      title="Import programs"
      description="Matched by company name: new programs are added, existing ones updated, none retired."
    >
      <div className="flex flex-col gap-4">
        <TextField
          type="file"
          accept=".csv,text/csv"
          label="CSV file"
          hint={`Columns: ${COLUMNS}.`}
          className="[&_input]:py-1"
          onChange={(event) =>
            void event.target.files?.[0]
              ?.slice(0, 4 * MAX_CHARACTERS + 4)
              .text()
              .then(change)
          }
        />
        <TextArea
          label="Or paste it here"
          rows={8}
          value={csv}
          className="[&_textarea]:font-mono [&_textarea]:text-[0.8125rem]"
          onChange={(event) => change(event.target.value)}
        />
        {tooLong && (
          <p role="alert" className="rounded-lg bg-bad-soft px-4 py-3 text-bad">
            A file has at most 1,000 programs and 900,000 characters. Import it in parts.
          </p>
        )}
        {error && <ErrorBox error={error} />}
        {found && (
          <div role="status" className="flex flex-col gap-3">
            <p>{`${found.added} to add, ${found.changed} to change, ${found.unchanged} unchanged, ${found.faults.length} with errors.`}</p>
            {found.faults.length > 0 && (
              <Table
                caption="Errors"
                rows={found.faults}
                rowKey={(row, index) => `${row.line}-${index}`}
                maxHeight="max-h-64"
                columns={[
                  { id: 'line', header: 'Line', numeric: true, cell: (row) => row.line },
                  { id: 'column', header: 'Column', cell: (row) => row.column ?? '' },
                  { id: 'message', header: 'Error', cell: (row) => row.message },
                ]}
              />
            )}
          </div>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={!csv.trim()} busy={trying.isPending} onClick={() => trying.mutate(csv)}>
            Check the file
          </Button>
          <Button
            variant="primary"
            disabled={!found || found.faults.length > 0 || found.added + found.changed === 0}
            busy={importing.isPending}
            onClick={() => importing.mutate(csv)}
          >
            Import
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
