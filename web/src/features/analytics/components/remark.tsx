import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { TrafficRule, Website } from '@/lib/api/types';
import { addDays, startOfDay, todayIn } from '@/lib/dates';
import { dimensionName } from '../lib/dimensions';
import { createTrafficRule } from '../api/analytics';
import { MARKS, RemarkRules } from './remark-rules';
import type { Dimension, Filter } from '../lib/search';
import { NONE, shown } from '../lib/values';

type Mark = TrafficRule['mark'];

const FIELDS: Partial<Record<Dimension, string>> = {
  partner: 'partnerId',
  link: 'linkId',
  country: 'country',
  device: 'device',
  source: 'source',
  reason: 'reason',
};

interface Props {
  readonly website: Website;
  readonly filters: readonly Filter[];
  readonly onClose: () => void;
}

/** Rules for what the events of a period count as: make one for what the page is filtered by, undo one. */
export function RemarkDialog({ website, filters, onClose }: Props) {
  const today = todayIn(website.timezone);
  const [from, setFrom] = useState(addDays(today, -1));
  const [to, setTo] = useState(addDays(today, -1));
  const [mark, setMark] = useState<Mark>('suspicious');
  const taken = filters.filter(isCondition);
  const left = filters.filter((filter) => !isCondition(filter));
  const make = useCommand(createTrafficRule(website.id));
  const wrongOrder = from !== '' && to !== '' && from > to;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Re-mark a period"
      description="Choose how the events of whole days are counted. Reports are rebuilt in the background, which can take a while."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate({
            since: startOfDay(from, website.timezone),
            until: startOfDay(addDays(to, 1), website.timezone),
            mark,
            note: '',
            ...Object.fromEntries(taken.map((filter) => [FIELDS[filter.dimension], valueOf(filter)])),
          });
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            type="date"
            label="From"
            required
            max={today}
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
          <TextField
            type="date"
            label="To"
            required
            max={today}
            value={to}
            error={wrongOrder ? 'The last day is before the first' : undefined}
            onChange={(event) => setTo(event.target.value)}
          />
        </div>
        <SelectField label="Count events as" value={mark} onChange={(event) => setMark(event.target.value as Mark)}>
          {Object.entries(MARKS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <p className="text-[0.8125rem] text-muted">
          {taken.length === 0
            ? 'Applies to all events of these days. Filter the page first to select some of them.'
            : `Applies to events that match the page filters: ${taken.map((filter) => dimensionName(filter.dimension)).join(', ')}.`}
        </p>
        {left.length > 0 && (
          <p className="rounded-lg bg-warn-soft px-3 py-2.5 text-[0.8125rem] text-warn">
            {`Rules take one value per field. Ignored: ${left.map((filter) => dimensionName(filter.dimension)).join(', ')}.`}
          </p>
        )}
        {make.error && <ErrorBox error={make.error} prefix="Failed to create the rule" />}
        <Button
          type="submit"
          variant="primary"
          busy={make.isPending}
          disabled={!from || !to || wrongOrder}
          className="self-end"
        >
          Create rule
        </Button>
      </form>
      <RemarkRules website={website} />
    </Dialog>
  );
}

/** A rule matches one value per field, as stored in the events. */
const isCondition = ({ dimension, operator, values }: Filter): boolean =>
  FIELDS[dimension] !== undefined && operator === 'is' && values.length === 1;

const valueOf = ({ values: [name = ''] }: Filter): string => (name === NONE ? '' : shown(name));
