import { SelectField } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { useSettings } from '../hooks/use-settings';

type Scope = Website['txidScope'];

/** Within what the transaction IDs of reports without a network preset are unique. */
export function TxidSettings({ website }: { readonly website: Website }) {
  const save = useSettings(
    website.id,
    ['Transaction ID setting saved', `It applies to the next sale of ${website.domain}.`],
    'Failed to save the setting',
  );
  return (
    <section aria-label={`Transaction IDs of ${website.domain}`}>
      <h3 className="font-medium">Transaction IDs</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        For sales that your server or a tracker reports in Althing’s parameter names. Networks have their own setting.
      </p>
      <SelectField
        label="Each ID is unique"
        value={website.txidScope}
        disabled={save.isPending}
        hint="Choose “for one click” if your tracker counts its transactions from 1 for each click."
        onChange={(event) => save.mutate({ txidScope: event.target.value as Scope })}
      >
        <option value="website">For the whole website</option>
        <option value="click">For one click</option>
      </SelectField>
    </section>
  );
}
