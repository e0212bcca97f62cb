import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { FileDrop } from '@/components/form/file-drop';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { UploadNetworkReportForm } from '@/lib/api/request-schemas';
import type { Partner, Website } from '@/lib/api/types';
import { todayIn } from '@/lib/dates';
import { DIRECT, NETWORKS } from '@/lib/networks/postback';
import { uploadReport } from '../api/imports';
import { momentOf } from '../lib/report-day';
import { FILE_TYPES } from '@/lib/files/report-file';

interface Props {
  readonly website: Pick<Website, 'id' | 'domain' | 'timezone'>;
  readonly partners: readonly Pick<Partner, 'id' | 'name' | 'postbackPreset'>[];
  /** Chosen first; empty: none. */
  readonly network: string;
  readonly onUploaded: (id: string) => void;
}

/** Sends a report to be read. Nothing counts until its preview is applied. */
export function UploadCard({ website, partners, network, onUploaded }: Props) {
  const form = useRequestForm({
    request: UploadNetworkReportForm,
    initial: { network, partnerId: '', asOf: '', file: null as File | null },
    rules: {
      network: { missing: 'Please choose the network' },
      file: (file) => (file ? undefined : 'Please choose the report'),
    },
    command: useCommand(uploadReport, { onSuccess: ({ importId }) => onUploaded(importId) }),
    input: ({ network: chosen, partnerId, asOf, file }) => ({
      websiteId: website.id,
      network: chosen,
      file: file as File,
      partnerId: partnerId || null,
      asOf: asOf ? momentOf(asOf, website.timezone, new Date()) : null,
    }),
  });
  return (
    <Card
      title="Upload a report"
      description={`Shows first what it would change for ${website.domain}. Nothing counts until you apply it.`}
    >
      <Form form={form}>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <FileDrop
            label="Report file"
            hint="CSV, TSV, XLSX or JSON, also as .gz. Encoding, separator and columns are detected."
            accept={FILE_TYPES}
            file={form.values.file}
            error={form.fault('file')}
            disabled={form.isPending}
            onChange={form.set('file')}
          />
          <div className="grid gap-4">
            <SelectField label="Network" {...form.field('network')}>
              <option value="">Choose a network</option>
              {NETWORKS.filter(({ kind }) => kind !== 'generic').map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
              <option value={DIRECT}>Another network, or a direct program</option>
            </SelectField>
            <SelectField
              label="Partner (optional)"
              hint="Who pays rows of an unknown advertiser."
              {...form.field('partnerId')}
            >
              <option value="">Found by the advertiser in each row</option>
              {partners.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
            <TextField
              label="The report was made on (optional)"
              type="date"
              hint="Set it for an old file, so that it does not replace newer values."
              {...form.field('asOf')}
              min="1990-01-01"
              max={todayIn(website.timezone)}
            />
          </div>
        </div>
        <FormError form={form} />
        <div className="flex flex-wrap items-center justify-end gap-3">
          <p role="status" className="text-[0.8125rem] text-muted">
            {form.isPending ? 'Sending and reading the file…' : ''}
          </p>
          <SubmitButton form={form}>Preview</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
