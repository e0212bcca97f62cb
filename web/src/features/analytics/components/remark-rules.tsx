import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import type { TrafficRule, Website } from '@/lib/api/types';
import { formatDateTime } from '@/lib/dates';
import { partnersQuery } from '@/lib/api/shared-queries';
import { reasonName } from '@/lib/labels/traffic-reasons';
import { trafficRulesQuery, undoTrafficRule } from '../api/analytics';

export const MARKS: Readonly<Record<TrafficRule['mark'], string>> = {
  suspicious: 'Suspicious',
  bot: 'Bots',
  genuine: 'Genuine',
};
const CONDITIONS: Readonly<Record<string, string>> = {
  type: 'Event type',
  link_id: 'Link',
  partner_id: 'Partner',
  country: 'Country',
  device: 'Device',
  browser: 'Browser',
  source: 'Source',
  reason: 'Excluded as',
};

/** The rules that hold for a website's traffic; each can be undone. */
export function RemarkRules({ website }: { readonly website: Website }) {
  const rules = useQuery(trafficRulesQuery(website.id));
  const partners = useQuery(partnersQuery);
  const undo = useCommand(undoTrafficRule(website.id));
  const at = (time: string) => formatDateTime(time, website.timezone);
  const valueOf = (name: string, value: string) => {
    if (name === 'partner_id') return partners.data?.find((item) => item.id === value)?.name ?? value;
    return name === 'reason' ? reasonName(value) : value || '(none)';
  };
  return (
    <section aria-labelledby="remark-rules" className="mt-5 border-t border-line pt-4">
      <h3 id="remark-rules" className="mb-2 font-medium">
        Active rules
      </h3>
      {rules.error && !rules.data ? (
        <ErrorBox error={rules.error} prefix="Error loading the rules" onRetry={() => void rules.refetch()} />
      ) : !rules.data ? (
        <div role="status" aria-label="Loading the rules">
          <Skeleton className="h-12" />
        </div>
      ) : rules.data.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">No rules yet.</p>
      ) : (
        <ul aria-label="Rules" className="flex flex-col gap-3">
          {rules.data.map((rule) => (
            <li key={rule.id} className="flex items-start justify-between gap-3">
              <div className="min-w-0">
                <p className="break-words">
                  {MARKS[rule.mark]}: {at(rule.since)} – {at(rule.until)}
                </p>
                <p className="text-[0.8125rem] break-words text-muted">
                  {Object.entries(rule.conditions)
                    .map(([name, value]) => `${CONDITIONS[name] ?? name}: ${valueOf(name, value)}`)
                    .join(', ') || 'All events'}
                </p>
                {!rule.isFollowed && (
                  <p className="text-[0.8125rem] text-warn">Not applied yet: reports are being rebuilt.</p>
                )}
              </div>
              <Button
                size="sm"
                aria-label={`Undo ${MARKS[rule.mark]} from ${at(rule.since)}`}
                busy={undo.isPending && undo.variables === rule.id}
                disabled={undo.isPending}
                onClick={() => undo.mutate(rule.id)}
              >
                Undo
              </Button>
            </li>
          ))}
        </ul>
      )}
      {undo.error && <ErrorBox className="mt-3" error={undo.error} prefix="Failed to undo the rule" />}
    </section>
  );
}
