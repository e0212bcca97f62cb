import { useId } from 'react';
import { SelectField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import type { Website } from '@/lib/api/types';
import { useSettings } from '../hooks/use-settings';

const RATES = [1, 2, 5, 10, 20, 50, 100];

/** What the script does with affiliate links that stand in the pages already. */
export function LinkSettings({ website }: { readonly website: Website }) {
  const hint = useId();
  const save = useSettings(
    website.id,
    ['Link settings saved', `They apply from the next page view on ${website.domain}.`],
    'Failed to save the link settings',
  );
  const every = website.linkImpressionsEvery;
  const rates = every === 0 || RATES.includes(every) ? RATES : [...RATES, every].toSorted((a, b) => a - b);
  return (
    <section aria-label={`Affiliate links of ${website.domain}`}>
      <h3 className="font-medium">Affiliate links in your pages</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        The script counts clicks on links to known networks, by page and placement. You don’t have to change the links.
      </p>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <div>
          <Check
            className="font-medium"
            label="Add the click ID"
            describedBy={hint}
            checked={website.linkClickIds}
            disabled={save.isPending}
            onChange={(linkClickIds) => save.mutate({ linkClickIds })}
          />
          <p id={hint} className="mt-1 text-[0.8125rem] text-muted">
            Adds the network’s sub-ID when a visitor clicks, so that its sales are attributed. Links with a sub-ID of
            their own stay as they are.
          </p>
        </div>
        <SelectField
          label="Link impressions"
          value={String(every)}
          disabled={save.isPending}
          hint="Counts links in view, for the click rate of each placement. A sample keeps the number of events low."
          onChange={(event) => save.mutate({ linkImpressionsEvery: Number(event.target.value) })}
        >
          <option value="0">Off</option>
          {rates.map((rate) => (
            <option key={rate} value={rate}>
              {rate === 1 ? 'Every page view' : `1 in ${rate} page views`}
            </option>
          ))}
        </SelectField>
      </div>
    </section>
  );
}
