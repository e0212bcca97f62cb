import { More } from '@/components/data/more';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatZoned } from '@/lib/dates';
import { linkHistoryQuery, type LinkChange } from '../api/one-link';

const NAMES: Readonly<Record<LinkChange['changes'][number]['field'], string>> = {
  partner: 'Partner',
  destination: 'Destination',
  rules: 'Rules',
  split: 'Split',
  winner: 'Winner (variant)',
  expiry: 'Expiry',
  fallback: 'Fallback',
  subs: 'Sub-IDs',
  coupon: 'Coupon',
  state: 'State',
  tags: 'Tags',
  folder: 'Folder',
  archived: 'Archived',
};
const ACTORS = { you: 'You', 'someone else': 'Someone else', system: 'Automatic' } as const;

/** The changes of a link: who made them, when, and each value before and after. */
export function LinkHistory({ link, timezone }: { readonly link: string; readonly timezone: string }) {
  const history = useCursorQuery(linkHistoryQuery(link));
  return (
    <Card title="Changes" description={`Newest first, ${timezone}`}>
      {history.error ? (
        <ErrorBox error={history.error} onRetry={history.retry} />
      ) : !history.rows ? (
        <Skeleton className="h-40" />
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line">
          {history.rows.map((change) => (
            <li key={change.version} className="flex flex-col gap-1.5 px-3 py-2.5">
              <p className="flex flex-wrap gap-x-2">
                <span className="font-medium">{change.version === 1 ? 'Created' : ACTORS[change.by]}</span>
                <span className="tabular text-muted">{formatZoned(change.at, timezone)}</span>
                {change.version === 1 && <span className="text-muted">{ACTORS[change.by]}</span>}
                {change.bulkId && <span className="text-muted">with other links</span>}
              </p>
              <dl className="flex flex-col gap-1 text-[0.8125rem]">
                {change.changes.map((one) => (
                  <div key={one.field} className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2">
                    <dt className="text-muted">{NAMES[one.field]}</dt>
                    <dd className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-line">
                      {one.before && (
                        <>
                          <del dir="auto" className="text-muted">
                            {one.before}
                          </del>
                          <span aria-hidden> → </span>
                        </>
                      )}
                      <ins dir="auto" className="no-underline">
                        {one.after || 'none'}
                      </ins>
                    </dd>
                  </div>
                ))}
              </dl>
            </li>
          ))}
        </ol>
      )}
      <More of={history} size="sm">
        Show more changes
      </More>
    </Card>
  );
}
