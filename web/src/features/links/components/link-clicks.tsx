import { KeptFrom } from '@/components/data/kept-from';
import { More } from '@/components/data/more';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { TrackedClick, Website } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { linkClicksQuery } from '../api/one-link';

/** The clicks of a link, the newest first, with what came of them. */
export function LinkClicks({ link, website }: { readonly link: string; readonly website: Website }) {
  const { timezone } = website;
  const clicks = useCursorQuery(linkClicksQuery(link));
  const rows = clicks.rows ?? [];
  return (
    <Card title="Clicks" description={`Newest first, ${timezone}`}>
      <KeptFrom day={clicks.first?.keptFrom} of={website.id} />
      {clicks.error ? (
        <ErrorBox error={clicks.error} onRetry={clicks.retry} />
      ) : !clicks.rows ? (
        <Skeleton className="h-40" />
      ) : rows.length === 0 ? (
        <p className="text-muted">No clicks yet.</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {rows.map((click) => (
            <li key={click.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
              <span className="tabular whitespace-nowrap">{formatZoned(click.occurredAt, timezone)}</span>
              <span className="min-w-0 flex-1 basis-40 truncate text-[0.8125rem] text-muted">{describe(click)}</span>
              {click.conversions.map((conversion) => (
                <Badge key={conversion.id} tone={conversion.status === 'approved' ? 'good' : 'neutral'}>
                  {`${conversion.kind} ${formatMinor(conversion.commission)}, ${conversion.status}`}
                </Badge>
              ))}
            </li>
          ))}
        </ul>
      )}
      <More of={clicks} size="sm">
        Show more clicks
      </More>
    </Card>
  );
}

const describe = (click: TrackedClick): string =>
  [click.country, click.device, click.browser, click.source, click.sub1, click.route].filter(Boolean).join(' · ');
