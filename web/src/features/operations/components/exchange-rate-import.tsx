import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Table } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { formatDay } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { importRates, tryRates } from '../api/exchange-rates';
import { MAX_BYTES, MAX_RATES, partsOf, PART, summaryOf, type Outcome } from '../lib/exchange-rates';

const WORDS: Readonly<Record<Outcome['outcome'], { readonly word: string; readonly tone: Tone }>> = {
  new: { word: 'New', tone: 'good' },
  changed: { word: 'Changed', tone: 'brand' },
  unchanged: { word: 'Unchanged', tone: 'neutral' },
  rejected: { word: 'Rejected', tone: 'bad' },
};
/** Lines of the preview that are drawn, those with errors first. */
const SHOWN = 200;

/** First what would become of each line, then the import; rejected lines are left out. */
export function ExchangeRateImport({ onClose }: { readonly onClose: () => void }) {
  const [csv, setCsv] = useState('');
  const [tooLong, setTooLong] = useState(false);
  const [share, setShare] = useState<number | null>(null);
  const trying = useCommand(tryRates);
  const importing = useCommand(importRates, { onSuccess: onClose });
  const found = trying.data;
  const error = trying.error ?? importing.error;
  const change = (text: string) => {
    const isTooLong = text.length > MAX_BYTES || partsOf(text).length > MAX_RATES / PART;
    setTooLong(isTooLong);
    setCsv(isTooLong ? '' : text);
    trying.reset();
    importing.reset();
  };
  const lines = found?.lines.toSorted(
    (a, b) => Number(b.outcome === 'rejected') - Number(a.outcome === 'rejected') || a.line - b.line,
  );
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(shown) => !shown && onClose()}
      title="Import exchange rates"
      description="A rate for a pair and day that has one replaces it. Rejected lines are left out."
    >
      <div className="flex flex-col gap-4">
        <TextField
          type="file"
          accept=".csv,text/csv"
          label="CSV file"
          hint="Columns base, quote, rate, on: EUR,USD,1.0825,2026-11-26 says that one EUR is worth 1.0825 USD from that day on."
          className="[&_input]:py-1"
          onChange={(event) =>
            void event.target.files?.[0]
              ?.slice(0, MAX_BYTES + 4)
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
            {`A file has at most ${formatCount(MAX_RATES)} rates. Import it in parts.`}
          </p>
        )}
        {error && <ErrorBox error={error} />}
        {share !== null && (
          <progress aria-label="Progress" className="h-1.5 w-full accent-brand" value={share} max={1} />
        )}
        {found && lines && (
          <div role="status" className="flex flex-col gap-3">
            <p>{summaryOf(found)}</p>
            <Table
              caption="Preview"
              rows={lines.slice(0, SHOWN)}
              rowKey={(row) => String(row.line)}
              maxHeight="max-h-64"
              columns={[
                { id: 'line', header: 'Line', numeric: true, cell: (row) => row.line },
                {
                  id: 'outcome',
                  header: 'Outcome',
                  cell: (row) => <Badge tone={WORDS[row.outcome].tone}>{WORDS[row.outcome].word}</Badge>,
                },
                {
                  id: 'rate',
                  header: 'Rate',
                  cell: (row) =>
                    row.message ?? `1 ${row.base} = ${row.rate} ${row.quote} from ${row.on ? formatDay(row.on) : ''}`,
                },
              ]}
            />
            {lines.length > SHOWN && (
              <p className="text-[0.8125rem] text-muted">{`The first ${SHOWN} of ${formatCount(lines.length)} lines, rejected ones first.`}</p>
            )}
          </div>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            disabled={!csv.trim() || importing.isPending}
            busy={trying.isPending}
            onClick={() => trying.mutate({ csv, onShare: setShare })}
          >
            Check the file
          </Button>
          <Button
            variant="primary"
            disabled={!found || found.new + found.changed === 0}
            busy={importing.isPending}
            onClick={() => importing.mutate({ csv, onShare: setShare })}
          >
            Import
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
