import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ImportNumbers } from '@/components/data/import-numbers';
import { opened } from '@/components/data/opened';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import type { Partner, Website } from '@/lib/api/types';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { importQuery, type NetworkImport, type RowKind } from '../api/imports';
import { unknownWords } from '../lib/mapping';
import { numbersOf } from '../lib/numbers';
import { hasRows, isCorrectable, isRunning, STATES } from '@/lib/imports/states';
import { ImportActions } from './import-actions';
import { ImportRows } from './import-rows';
import { OtherNetwork, otherNetworkOf } from './other-network';

const ImportQuestions = opened(
  () => import('./import-questions').then((module) => module.ImportQuestions),
  <Skeleton className="h-40" />,
);
const RejectedChoices = opened(() => import('./rejected-choices').then((module) => module.RejectedChoices));
const FileLayout = opened(() => import('./file-layout').then((module) => module.FileLayout));

interface Props {
  readonly id: string;
  readonly website: Pick<Website, 'timezone'> | undefined;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
  /** To upload the file again, as a report of this network. */
  readonly onUploadAgain: (network: string) => void;
}

/** Queries of what conversions are shown in. */
const SHOW_CONVERSIONS = [
  'conversions',
  'explanation',
  'links',
  'analytics',
  'payouts',
  'statements',
  'websites-summary',
];

/** One import: what it asks, what it would change, how far it is. */
export function ImportView({ id, website, partners, onUploadAgain }: Props) {
  const client = useQueryClient();
  const { data: found, error, refetch } = useQuery(importQuery(id));
  const [kind, setKind] = useState<RowKind | null>(null);
  const before = useRef(found?.state);
  const state = found?.state;
  useEffect(() => {
    const wasRunning = before.current !== undefined && isRunning(before.current);
    before.current = state;
    if (!wasRunning || state === undefined || isRunning(state)) return;
    for (const name of ['network-imports', ...SHOW_CONVERSIONS]) void client.invalidateQueries({ queryKey: [name] });
  }, [client, state]);
  if (error && !found)
    return <ErrorBox error={error} prefix="Error loading the import" onRetry={() => void refetch()} />;
  if (!found) return <Loading label="Loading the import" />;
  const zone = website?.timezone ?? 'UTC';
  const unknown = unknownWords(found.rejected ?? []);
  const shown = hasRows(found.state) ? numbersOf(found).find((one) => one.kind === kind && one.count > 0) : undefined;
  const isAsking = found.state === 'asking' && !otherNetworkOf(found.questions ?? []);
  const isChoosable = found.state === 'ready' && unknown.partners.length + unknown.statuses.length > 0;
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <Card
        title={TITLES[found.state]}
        actions={<Badge tone={STATES[found.state].tone}>{STATES[found.state].label}</Badge>}
      >
        <div className="flex flex-col gap-4">
          <Stage
            of={found}
            numbers={
              <ImportNumbers
                numbers={numbersOf(found)}
                delta={found.delta ?? []}
                deltaLabel="change in commission"
                hasRows={hasRows(found.state)}
                kind={shown?.kind ?? null}
                onOpen={setKind}
              />
            }
            onUploadAgain={onUploadAgain}
          />
          {found.state === 'ready' && unknown.isWithoutAdvertiser && (
            <p className="text-muted">
              Some rows name no advertiser. To accept them, cancel, and upload the file again with a partner chosen.
            </p>
          )}
          {found.notes.length > 0 && (
            <ul aria-label="Notes" className="list-disc pl-5 text-[0.8125rem] text-muted">
              {found.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
          {!isAsking && <ImportActions of={found} />}
        </div>
      </Card>
      {shown && (
        <Card title={`Rows: ${shown.label}`}>
          <ImportRows key={shown.kind} id={found.importId} kind={shown.kind} label={shown.label} timezone={zone} />
        </Card>
      )}
      {isChoosable && <RejectedChoices of={found} unknown={unknown} partners={partners} />}
      {isCorrectable(found.state) && found.layout && <FileLayout of={found} websiteZone={zone} />}
    </div>
  );
}

const TITLES: Readonly<Record<NetworkImport['state'], string>> = {
  reading: 'Reading the file',
  asking: 'Questions about this file',
  ready: 'What this report changes',
  applying: 'Applying the report',
  applied: 'Report applied',
  undoing: 'Undoing the import',
  undone: 'Import undone',
  cancelled: 'Import canceled',
  failed: 'The file could not be read',
};

interface StageProps {
  readonly of: NetworkImport;
  readonly numbers: ReactNode;
  readonly onUploadAgain: (network: string) => void;
}

function Stage({ of, numbers, onUploadAgain }: StageProps): ReactNode {
  switch (of.state) {
    case 'reading':
      return <Progress label="Reading and comparing every row. You can leave this page." />;
    case 'asking': {
      const other = otherNetworkOf(of.questions ?? []);
      return other ? (
        <OtherNetwork of={of} other={other} onUploadAgain={onUploadAgain} />
      ) : (
        <ImportQuestions of={of} beside={<ImportActions of={of} />} />
      );
    }
    case 'applying':
    case 'undoing':
      return <Progress label={doneText(of)} done={of.done} total={of.total} />;
    case 'ready':
      return (
        <>
          {numbers}
          {(of.new ?? 0) + (of.changed ?? 0) === 0 && <p className="text-muted">This report changes nothing.</p>}
        </>
      );
    case 'failed':
      return (
        <>
          <ErrorBox error={new Error(of.message || 'The file could not be read.')} />
          <p className="text-muted">
            {of.layout
              ? 'Nothing of it counts. Correct how the file is read, or upload another file.'
              : 'Nothing of it counts. Upload another file.'}
          </p>
        </>
      );
    case 'undone':
      return (
        <>
          <p className="text-muted">None of its rows counts any more. To apply it again, upload the file again.</p>
          {numbers}
        </>
      );
    case 'cancelled':
      return <p className="text-muted">Nothing of it counts. To import the file, upload it again.</p>;
    case 'applied':
      return numbers;
  }
}

const doneText = ({ state, done, total }: NetworkImport): string =>
  total > 0
    ? `${formatCount(Math.min(done, total))} of ${formatCount(total)} rows ${state === 'undoing' ? 'undone' : 'applied'}. You can leave this page.`
    : 'You can leave this page.';

interface ProgressProps {
  readonly label: string;
  readonly done?: number;
  readonly total?: number;
}

/** Without a total, it only says that it goes on. */
function Progress({ label, done = 0, total = 0 }: ProgressProps) {
  const reached = Math.min(done, total);
  return (
    <div>
      <p role="status">{label}</p>
      <div
        role="progressbar"
        aria-label="Progress"
        className="mt-2 h-1.5 w-full overflow-hidden rounded-full bg-sunken"
        {...(total > 0 ? { 'aria-valuemin': 0, 'aria-valuenow': reached, 'aria-valuemax': total } : {})}
      >
        <div
          className={cx('h-full bg-brand', total === 0 && 'w-full animate-pulse')}
          style={total > 0 ? { width: `${(reached / total) * 100}%` } : undefined}
        />
      </div>
    </div>
  );
}
