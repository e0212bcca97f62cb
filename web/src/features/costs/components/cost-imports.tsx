import { Form, FormError, SubmitButton } from '@/components/form/form';
import { FileDrop } from '@/components/form/file-drop';
import { useRequestForm } from '@/components/form/use-request-form';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { UploadCostsForm } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { FILE_TYPES } from '@/lib/files/report-file';
import { deltaText } from '@/lib/imports/delta';
import { STATES } from '@/lib/imports/states';
import { costImportsQuery, uploadCosts, type CostImport } from '../api/imports';
import { PLATFORMS, platformLabel } from '../lib/platforms';
import { CostImportView } from './cost-import-view';

interface Props {
  readonly website: Pick<Website, 'id' | 'domain'>;
  /** The import that is shown; undefined: none. */
  readonly shown: string | undefined;
  readonly onShow: (id: string | undefined) => void;
}

/** Exports of ad platforms: uploaded, previewed, and listed. */
export function CostImports({ website, shown, onShow }: Props) {
  const query = useCursorQuery(costImportsQuery(website.id));
  const columns: readonly Column<CostImport>[] = [
    {
      id: 'file',
      header: 'File',
      cell: (row) => (
        <button
          type="button"
          className="block max-w-full truncate font-medium text-brand hover:underline"
          onClick={() => onShow(row.importId)}
        >
          {row.fileName}
        </button>
      ),
      className: 'max-w-72',
    },
    { id: 'platform', header: 'Platform', cell: (row) => platformLabel(row.platform) },
    { id: 'uploaded', header: 'Uploaded', cell: (row) => <When at={row.uploadedAt} />, className: 'whitespace-nowrap' },
    {
      id: 'state',
      header: 'Status',
      cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>,
    },
    {
      id: 'delta',
      header: 'Change in cost',
      numeric: true,
      cell: (row) => deltaText(row.delta ?? []),
      className: 'whitespace-nowrap',
    },
  ];
  return (
    <>
      <UploadCosts key={shown} website={website} onUploaded={onShow} />
      {shown && <CostImportView key={`view-${shown}`} id={shown} />}
      <Card title="Imports" description="Newest first. Open one to see its rows, to apply it or to undo it.">
        <PagedTable
          caption="Imports table"
          query={query}
          columns={columns}
          rowKey={(row) => row.importId}
          none="No files uploaded yet."
        />
      </Card>
    </>
  );
}

interface UploadProps {
  readonly website: Pick<Website, 'id' | 'domain'>;
  readonly onUploaded: (id: string) => void;
}

function UploadCosts({ website, onUploaded }: UploadProps) {
  const form = useRequestForm({
    request: UploadCostsForm,
    initial: { platform: '', file: null as File | null },
    rules: {
      platform: { missing: 'Please choose the platform' },
      file: (file) => (file ? undefined : 'Please choose the file'),
    },
    command: useCommand(uploadCosts, { onSuccess: ({ importId }) => onUploaded(importId) }),
    input: ({ platform, file }) => ({ websiteId: website.id, platform, file: file as File }),
  });
  return (
    <Card
      title="Upload costs"
      description={`Export the costs by day and campaign. The preview shows what they change for ${website.domain}; nothing counts until you apply it.`}
    >
      <Form form={form}>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <FileDrop
            label="File"
            hint="CSV, TSV or XLSX, also as .gz. Encoding, separator and columns are detected."
            accept={FILE_TYPES}
            file={form.values.file}
            error={form.fault('file')}
            disabled={form.isPending}
            onChange={form.set('file')}
          />
          <SelectField label="Platform" {...form.field('platform')}>
            <option value="">Choose a platform</option>
            {PLATFORMS.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </SelectField>
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
