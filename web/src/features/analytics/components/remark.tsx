import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
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
  const taken = filters.filter(isCondition);
  const left = filters.filter((filter) => !isCondition(filter));
  const form = useRequestForm({
    initial: { from: addDays(today, -1), to: addDays(today, -1), mark: 'suspicious' as Mark },
    command: useCommand(createTrafficRule(website.id)),
    ready: ({ from, to }) => from !== '' && to !== '' && from <= to,
    input: ({ from, to, mark }) => ({
      since: startOfDay(from, website.timezone),
      until: startOfDay(addDays(to, 1), website.timezone),
      mark,
      note: '',
      ...Object.fromEntries(taken.map((filter) => [FIELDS[filter.dimension], valueOf(filter)])),
    }),
  });
  const { from, to } = form.values;
  const wrongOrder = from !== '' && to !== '' && from > to;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Reclassify traffic"
      description="Choose how the events of whole days are counted. Reports are rebuilt in the background, which can take a while."
    >
      <Form form={form} native>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField type="date" label="From" {...form.field('from')} required max={today} />
          <TextField
            type="date"
            label="To"
            {...form.field('to')}
            required
            max={today}
            error={wrongOrder ? 'The last day is before the first' : undefined}
          />
        </div>
        <SelectField label="Count events as" {...form.field('mark')}>
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
        <FormError form={form} prefix="Failed to create the rule" />
        <SubmitButton form={form} disabled={!form.isComplete} className="self-end">
          Create rule
        </SubmitButton>
      </Form>
      <RemarkRules website={website} />
    </Dialog>
  );
}

/** A rule matches one value per field, as stored in the events. */
const isCondition = ({ dimension, operator, values }: Filter): boolean =>
  FIELDS[dimension] !== undefined && operator === 'is' && values.length === 1;

const valueOf = ({ values: [name = ''] }: Filter): string => (name === NONE ? '' : shown(name));
