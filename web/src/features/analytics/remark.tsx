import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body, done } from '@/lib/api/client';
import type { TrafficRule, Website } from '@/lib/api/types';
import { addDays, formatDateTime, startOfDay, todayIn } from '@/lib/dates';
import { dimensionName } from './dimensions';
import { trafficRulesQuery } from './queries';
import type { Dimension, Filter } from './search';

type Mark = TrafficRule['mark'];

const MARKS: Readonly<Record<Mark, string>> = { suspicious: 'Suspicious', bot: 'Bots', genuine: 'Genuine' };
const FIELDS: Partial<Record<Dimension, string>> = { partner: 'partnerId', link: 'linkId', country: 'country', device: 'device', source: 'source', reason: 'reason' };

interface Props {
  readonly website: Website;
  readonly filters: readonly Filter[];
  readonly onClose: () => void;
}

/** Rules for what the events of a period count as: make one for what the page is filtered by, undo one. */
export function RemarkDialog({ website, filters, onClose }: Props) {
  const client = useQueryClient();
  const rules = useQuery(trafficRulesQuery(website.id));
  const today = todayIn(website.timezone);
  const [from, setFrom] = useState(addDays(today, -1));
  const [to, setTo] = useState(addDays(today, -1));
  const [mark, setMark] = useState<Mark>('suspicious');
  const taken = filters.filter((filter) => FIELDS[filter.dimension] && !filter.not && filter.values.length === 1);
  const reread = () => client.invalidateQueries({ queryKey: trafficRulesQuery(website.id).queryKey });
  const make = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/platform/websites/{id}/traffic-rules', {
          params: { path: { id: website.id } },
          body: {
            since: startOfDay(from, website.timezone), until: startOfDay(addDays(to, 1), website.timezone), mark, note: '',
            ...Object.fromEntries(taken.map((filter) => [FIELDS[filter.dimension], filter.values[0]])),
          },
        }),
      ),
    onSuccess: reread,
  });
  const undo = useMutation({
    mutationFn: (ruleId: string) => done(api.DELETE('/api/platform/websites/{id}/traffic-rules/{ruleId}', { params: { path: { id: website.id, ruleId } } })),
    onSuccess: reread,
  });
  return (
    <Dialog open onOpenChange={(open) => { if (!open) onClose(); }} title="Re-mark a period" description="Events of whole days count as what you choose. Figures follow after they were built anew, which may take a while.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <div className="grid grid-cols-2 gap-3">
          <TextField type="date" label="From" required max={today} value={from} onChange={(event) => setFrom(event.target.value)} />
          <TextField type="date" label="To" required max={today} value={to} onChange={(event) => setTo(event.target.value)} />
        </div>
        <SelectField label="Count events as" value={mark} onChange={(event) => setMark(event.target.value as Mark)}>
          {Object.entries(MARKS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <p className="text-[0.8125rem] text-muted">
          {taken.length === 0 ? 'All events of these days. Filter the page to mean only some of them.' : `Only events that the page is filtered by: ${taken.map((filter) => dimensionName(filter.dimension)).join(', ')}.`}
        </p>
        {(make.error ?? undo.error) && <ErrorBox error={make.error ?? undo.error} />}
        <Button type="submit" variant="primary" busy={make.isPending} disabled={!from || !to || from > to} className="self-end">
          Make rule
        </Button>
      </form>
      {(rules.data?.length ?? 0) > 0 && (
        <ul aria-label="Rules" className="mt-5 flex flex-col gap-2 border-t border-line pt-4">
          {rules.data?.map((rule) => (
            <li key={rule.id} className="flex items-center gap-3">
              <span className="min-w-0">
                {MARKS[rule.mark]}: {formatDateTime(rule.since, website.timezone)} – {formatDateTime(rule.until, website.timezone)}
                <span className="block text-[0.8125rem] text-muted">{[Object.entries(rule.conditions).map(([name, value]) => `${name} ${value}`).join(', '), rule.isFollowed ? '' : 'Figures are being built'].filter(Boolean).join(' · ')}</span>
              </span>
              <Button size="sm" className="ml-auto" onClick={() => undo.mutate(rule.id)}>
                Undo
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
