import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Partner, Website } from '@/lib/api/types';
import { download, toCsv } from '@/lib/files/csv';
import { formatCount } from '@/lib/format';
import { errorsByLine, MAX_BATCH_SIZE, readBulk, type BulkError } from '../lib/bulk';
import { createLinks } from '../api/link-commands';

interface Props {
  readonly websites: readonly Website[];
  readonly partners: readonly Partner[];
  readonly onClose: () => void;
}

interface MadeLink {
  readonly url: string;
  readonly partnerName: string | null;
  readonly destination: string;
}

/** Many links from pasted lines or a CSV file; all are made, or none and every culprit is named. */
export function BulkCreate({ websites, partners, onClose }: Props) {
  const id = useId();
  const [websiteId, setWebsiteId] = useState(websites.length === 1 ? (websites[0]?.id ?? '') : '');
  const [made, setMade] = useState<readonly MadeLink[] | null>(null);
  const [fileError, setFileError] = useState<string | null>(null);
  const active = partners.filter((partner) => partner.isActive);
  const create = useCommand(createLinks(websiteId), { onSuccess: (answer) => setMade(answer.links) });
  const form = useRequestForm({
    initial: { text: '' },
    ready: ({ text }) => {
      const { lines, errors } = readBulk(text, active);
      return websiteId !== '' && lines.length > 0 && errors.length === 0;
    },
    onSubmit: () => {
      create.mutate(lines); // of the text as it stands: errors have line numbers
    },
    forget: create.reset,
  });
  const { text } = form.values;
  const { lines, errors } = readBulk(text, active);
  const write = (next: string) => {
    setFileError(null);
    form.set('text')(next);
  };
  const readFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_BYTES) setFileError(`${file.name} is too large for ${MAX_BATCH_SIZE} links.`);
    else await file.text().then(write, () => setFileError(`${file.name} cannot be read.`));
  };
  const refused = create.error instanceof ApiError ? errorsByLine(create.error.fields, create.variables ?? []) : [];
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={made ? `${formatCount(made.length)} ${made.length === 1 ? 'link' : 'links'} created` : 'Bulk create links'}
      description={
        made
          ? 'Copy the links or download them as a file.'
          : `One link per line: partner, destination, slug, sub1, sub2, … At most ${MAX_BATCH_SIZE}.`
      }
    >
      {made ? (
        <div className="flex flex-col gap-4">
          <CopyField label="Link addresses" value={made.map((link) => link.url).join('\n')} multiline />
          <div className="flex justify-end gap-2">
            <Button
              onClick={() =>
                download(
                  'links.csv',
                  toCsv(
                    ['url', 'partner', 'destination'],
                    made.map((link) => [link.url, link.partnerName ?? '', link.destination]),
                  ),
                )
              }
            >
              <Download aria-hidden className="size-4" />
              Download CSV
            </Button>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <Form form={form}>
          {websites.length !== 1 && (
            <SelectField
              label="Website"
              required
              value={websiteId}
              onChange={(event) => setWebsiteId(event.target.value)}
            >
              <option value="">Choose…</option>
              {websites.map((website) => (
                <option key={website.id} value={website.id}>
                  {website.domain}
                </option>
              ))}
            </SelectField>
          )}
          <div>
            <label htmlFor={id} className="mb-1.5 block font-medium">
              Links
            </label>
            <textarea
              id={id}
              rows={8}
              value={text}
              spellCheck={false}
              placeholder={'good-vpn, https://good-vpn.example/deal, summer-deal, newsletter\ngood-vpn'}
              onChange={(event) => write(event.target.value)}
              className="w-full rounded-lg border border-line-strong/60 bg-surface px-3 py-2 font-mono text-[0.8125rem] hover:border-line-strong"
            />
            <p className="mt-1.5 text-[0.8125rem] text-muted" role="status">
              {`${formatCount(lines.length)} ${lines.length === 1 ? 'link' : 'links'} ready. The partner is its slug or name; blank values get a default.`}
            </p>
          </div>
          <label className="flex flex-col gap-1.5 font-medium">
            Or a CSV file
            <input
              type="file"
              accept=".csv,text/csv,text/plain"
              className="font-normal text-muted"
              onChange={(event) => void readFile(event.target.files?.[0])}
            />
          </label>
          {fileError && <ErrorBox error={new Error(fileError)} />}
          <Faults errors={[...errors, ...refused]} />
          {create.error && refused.length === 0 && <ErrorBox error={create.error} />}
          <SubmitButton form={form} busy={create.isPending} disabled={!form.isComplete} className="self-end">
            {lines.length > 0
              ? `Create ${formatCount(lines.length)} ${lines.length === 1 ? 'link' : 'links'}`
              : 'Create links'}
          </SubmitButton>
        </Form>
      )}
    </Dialog>
  );
}

const SHOWN = 10;
/** A line of ten sub ids and a long address, 200 times, and some. */
const MAX_BYTES = 1_000_000;

function Faults({ errors }: { readonly errors: readonly BulkError[] }) {
  if (errors.length === 0) return null;
  return (
    <div role="alert" className="max-h-40 overflow-y-auto rounded-lg bg-bad-soft px-3 py-2 text-[0.8125rem] text-bad">
      <ul className="list-inside list-disc">
        {errors.slice(0, SHOWN).map((error, index) => (
          <li key={index} className="break-words">{`Line ${error.line}: ${error.message}`}</li>
        ))}
        {errors.length > SHOWN && <li>{`${errors.length - SHOWN} more`}</li>}
      </ul>
    </div>
  );
}
