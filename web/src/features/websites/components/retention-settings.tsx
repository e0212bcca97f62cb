import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Website } from '@/lib/api/types';
import { formatDay, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { changeRetention, retentionQuery, type RetentionForecast } from '../api/retention';
import { useAnchor } from '../hooks/use-anchor';

const CHOICES = [1, 2, 3, 6, 12, 13, 18, 24, 25, 36, 48, 60] as const;
const FOREVER = 'forever';

/** How long individual clicks, page views and custom events are stored; what a choice deletes is shown before it is saved. */
export function RetentionSettings({ website }: { readonly website: Website }) {
  const anchor = `retention-${website.id}`;
  const [chosen, setChosen] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const stored = useQuery(retentionQuery(website.id));
  const section = useAnchor(anchor, stored.data !== undefined);
  const current = stored.data ? textOf(stored.data.rawMonths) : FOREVER;
  const wanted = chosen ?? current;
  const months = wanted === FOREVER ? null : Number(wanted);
  const looked = useQuery({ ...retentionQuery(website.id, months ?? undefined), enabled: months !== null });
  const forecast = months === null ? null : (looked.data?.forecast ?? null);
  const save = useCommand(changeRetention(website.id), { onSuccess: () => setChosen(null) });
  const submit = () => {
    if (months === null) save.mutate(months);
    else setConfirming(true);
  };

  return (
    <section ref={section} id={anchor} aria-label={`Retention of ${website.domain}`} className="scroll-mt-20">
      <h3 className="font-medium">Retention</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        How long individual clicks, page views and custom events are stored. Totals, reports without filters,
        conversions and money are stored forever.
      </p>
      {stored.error && <ErrorBox error={stored.error} prefix="Failed to load the retention" />}
      <div className="flex flex-col gap-4">
        <SelectField
          label="Keep individual events"
          value={wanted}
          disabled={!stored.data || save.isPending}
          hint={
            stored.data?.keptFrom
              ? `Individual events are available from ${formatDay(stored.data.keptFrom)}.`
              : undefined
          }
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value={FOREVER}>Forever</option>
          {choicesWith(stored.data?.rawMonths).map((count) => (
            <option key={count} value={String(count)}>
              {monthsText(count)}
            </option>
          ))}
        </SelectField>
        <div role="status" className="text-[0.8125rem] text-muted empty:hidden">
          {forecast && forecastText(forecast)}
          {forecast?.isHeldBack &&
            ' Events are stored longer than you chose while a sale can still be credited to their click.'}
          {chosen === null && stored.data?.appliesFrom && months !== null && (
            <> The setting applies from {formatZoned(stored.data.appliesFrom, website.timezone)}.</>
          )}
        </div>
        <Button
          className="self-start"
          aria-label={`Save retention of ${website.domain}`}
          busy={save.isPending}
          disabled={wanted === current || (months !== null && !forecast)}
          onClick={submit}
        >
          Save retention
        </Button>
      </div>
      {isConfirming && forecast && (
        <ConfirmDialog
          title={`Delete individual events of ${website.domain}?`}
          description={`${forecastText(forecast)} Deletion starts 24 hours from now at the earliest; until then you can change the setting back. Deleted events can’t be restored: filtered reports and click lists then start on that day.`}
          action="Save retention"
          onConfirm={() => save.mutate(months)}
          onClose={() => setConfirming(false)}
        />
      )}
    </section>
  );
}

const textOf = (months: number | null) => (months === null ? FOREVER : String(months));

const monthsText = (count: number) => `${count} full ${count === 1 ? 'month' : 'months'}`;

/** The usual choices, and what is set if it is none of them. */
const choicesWith = (months: number | null | undefined) =>
  [...new Set([...CHOICES, ...(months ? [months] : [])])].sort((one, other) => one - other);

function forecastText({ events, keptFrom }: RetentionForecast): string {
  const count = `${formatCount(events)} individual ${events === 1 ? 'event' : 'events'}`;
  return events === 0
    ? `No individual events are older than ${formatDay(keptFrom)}.`
    : `${count} before ${formatDay(keptFrom)} will be deleted.`;
}
