import { useQuery } from '@tanstack/react-query';
import { ChartNoAxesCombined, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { cx } from '@/lib/cx';
import { useIsPhone } from '@/lib/browser/media';
import type { SocialRow, Website } from '@/lib/api/types';
import { reportCsv, reportQuery } from '../api/posts';
import { rangeName, sorted, totalsOf, type ReportState, type Sort } from '../lib/report';
import { reportColumns } from './report-columns';
import { ReportTotals } from './report-totals';

const SORT_NAMES: readonly (readonly [Sort, string])[] = [
  ['-revenue', 'Highest revenue'],
  ['-sales', 'Most sales'],
  ['-clicks', 'Most clicks'],
  ['-views', 'Most views'],
  ['name', 'Name A–Z'],
];

interface Props {
  readonly website: Website;
  readonly state: ReportState;
  readonly onChange: (part: Partial<ReportState>) => void;
  /** Links a channel to its posts. */
  readonly posts: (channel: SocialRow) => ReactNode;
}

/** Revenue per social channel and post, from reach to sale. */
export function ReportPanel({ website, state, onChange, posts }: Props) {
  const { data, error, refetch, isPlaceholderData } = useQuery(reportQuery(website.id, state.range));
  const isPhone = useIsPhone();
  const onSort = (sort: Sort) => onChange({ sort });
  return (
    <Card
      title="Revenue by channel and post"
      description={`Tracked links: ${rangeName(state.range).toLowerCase()}, bots excluded. Views of a post: all time.`}
      actions={
        <>
          {isPhone && (
            <Select label="Sort" value={state.sort} onChange={(event) => onSort(event.target.value as Sort)}>
              {SORT_NAMES.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
          <a className={buttonClass({ size: 'sm' })} href={reportCsv(website.id, state.range)} download>
            <Download aria-hidden className="size-3.5" />
            CSV
          </a>
        </>
      }
    >
      {error && !data ? (
        <ErrorBox error={error} prefix="Error loading the report" onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading the report" />
      ) : data.length === 0 ? (
        <Empty icon={<ChartNoAxesCombined aria-hidden className="size-5" />} title="No social channels yet">
          Add a channel first, then see what it and its posts earn.
        </Empty>
      ) : (
        <div className={cx(isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
          <ReportTotals totals={totalsOf(data, website.currency)} />
          <Rows
            caption={`Social revenue of ${website.domain}`}
            columns={reportColumns({ sort: state.sort, onSort, posts })}
            rows={sorted(data, state.sort)}
            rowKey={(row) => row.postId ?? row.channelId}
          />
        </div>
      )}
    </Card>
  );
}
