import { useState } from 'react';
import { Rows } from '@/components/data/rows';
import { ErrorBox } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { countOf, formatCount } from '@/lib/format';
import { importLinks, planImport, type LinkImportPlan } from '../api/import';
import { readCsvFile } from '../lib/csv-file';

type Line = LinkImportPlan['lines'][number];

const OUTCOMES: Readonly<Record<Line['outcome'], { readonly word: string; readonly tone: Tone }>> = {
  new: { word: 'New', tone: 'good' },
  changed: { word: 'Changed', tone: 'brand' },
  unchanged: { word: 'Unchanged', tone: 'neutral' },
  refused: { word: 'Error', tone: 'bad' },
};

interface Props {
  readonly website: Website;
  readonly onClose: () => void;
}

/** First the outcome of each line, then the import: all lines or none. */
export function ImportLinks({ website, onClose }: Props) {
  const [csv, setCsv] = useState<string | null>(null);
  const [updatesExisting, setUpdates] = useState(false);
  const [unreadable, setUnreadable] = useState<Error | null>(null);
  const planning = useCommand(planImport);
  const plan = (text: string, updates: boolean) =>
    planning.mutate({ websiteId: website.id, csv: text, updatesExisting: updates });
  const importing = useCommand(importLinks, {
    onSuccess: onClose,
    // Something has changed since the preview: the lines say what.
    onError: (error, file) => error instanceof ApiError && error.code === 'bad_lines' && planning.mutate(file),
  });
  const choose = async (file: File | undefined) => {
    planning.reset();
    importing.reset();
    setCsv(null);
    setUnreadable(null);
    if (!file) return;
    try {
      const text = await readCsvFile(file);
      setCsv(text);
      plan(text, updatesExisting);
    } catch (error) {
      setUnreadable(error instanceof Error ? error : new Error('This file cannot be read.'));
    }
  };
  const found = planning.data;
  const error = unreadable ?? planning.error ?? importing.error;
  const count = found ? found.created + found.changed : 0;
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(shown) => !shown && onClose()}
      title="Import links"
      description="All lines are imported, or none. An exported file can be edited and imported again."
    >
      <div className="flex flex-col gap-4">
        <TextField
          type="file"
          accept=".csv,text/csv,text/plain"
          label="CSV file"
          hint={`Columns: slug, partner (slug or name), and optionally website, destination, variants, tags, folder, state (on, off), archived (yes, no). Up to 1,000 lines. Lines without a website go to ${website.domain}.`}
          className="[&_input]:py-1"
          onChange={(event) => void choose(event.target.files?.[0])}
        />
        <label className="flex items-start gap-3">
          <input
            type="checkbox"
            className="mt-1 size-4 accent-brand"
            checked={updatesExisting}
            onChange={(event) => {
              setUpdates(event.target.checked);
              importing.reset();
              if (csv !== null) plan(csv, event.target.checked);
            }}
          />
          <span>
            Update links that exist
            <span className="block text-[0.8125rem] text-muted">
              A line with the slug of one of your links changes that link. Otherwise its slug is taken.
            </span>
          </span>
        </label>
        {error && <ErrorBox error={error} />}
        {found && <Preview plan={found} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!found || found.refused > 0 || count === 0 || planning.isPending}
            busy={importing.isPending || planning.isPending}
            onClick={() => csv !== null && importing.mutate({ websiteId: website.id, csv, updatesExisting })}
          >
            {count > 0 ? `Import ${countOf(count, 'link')}` : 'Import'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Preview({ plan }: { readonly plan: LinkImportPlan }) {
  const { created, changed, unchanged, refused, lines } = plan;
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-3">
      <p role="status" className="font-medium">
        {`${formatCount(created)} new, ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged, ${formatCount(refused)} with errors.`}
        {refused > 0 && ' Nothing is imported until every line is right.'}
      </p>
      <Rows
        caption="Lines of the file"
        rows={lines}
        rowKey={(row, index) => `${row.line}-${index}`}
        maxHeight="max-h-96"
        columns={[
          { id: 'slug', header: 'Slug', cell: (row) => row.slug || '–' },
          { id: 'line', header: 'Line', numeric: true, cell: (row) => row.line },
          {
            id: 'outcome',
            header: 'Outcome',
            cell: (row) => <Badge tone={OUTCOMES[row.outcome].tone}>{OUTCOMES[row.outcome].word}</Badge>,
          },
          { id: 'columns', header: 'Column', cell: (row) => row.columns.join(', ') },
          {
            id: 'detail',
            header: 'Details',
            cell: (row) => (
              <span dir="auto" className="block max-w-80 min-w-40 [overflow-wrap:anywhere]">
                {row.message ?? row.destination}
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}
