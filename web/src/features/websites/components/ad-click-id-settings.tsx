import { useId } from 'react';
import { Check } from '@/components/ui/check';
import { SelectField } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { useAnchor } from '../hooks/use-anchor';
import { useSettings } from '../hooks/use-settings';

const DAYS = [7, 30, 90, 180, 365, 730];

/** Whether the click IDs of ads are kept, for how long, and of whom. */
export function AdClickIdSettings({ website }: { readonly website: Website }) {
  const [hint, consentHint] = [useId(), useId()];
  const anchor = `ad-click-ids-${website.id}`;
  const section = useAnchor(anchor);
  const save = useSettings(
    website.id,
    ['Ad click ID settings saved', `They apply within seconds on ${website.domain}.`],
    'Failed to save the ad click ID settings',
  );
  const days = website.adClickIdDays;
  const choices = DAYS.includes(days) ? DAYS : [...DAYS, days].toSorted((a, b) => a - b);
  return (
    <section ref={section} id={anchor} aria-label={`Ad click IDs of ${website.domain}`} className="scroll-mt-20">
      <h3 className="font-medium">Ad click IDs</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        Google, Meta, Microsoft and other ad networks add a click ID to the address of your landing page. It identifies
        a visitor, so it is stored encrypted, and never where the browser sends Global Privacy Control.
      </p>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <div>
          <Check
            className="font-medium"
            label="Keep ad click IDs"
            describedBy={hint}
            checked={website.keepAdClickIds}
            disabled={save.isPending}
            onChange={(keepAdClickIds) => save.mutate({ keepAdClickIds })}
          />
          <p id={hint} className="mt-1 text-[0.8125rem] text-muted">
            Shown in the explanation of a conversion. Off: no further ones are stored.
          </p>
          <Check
            className="mt-3 font-medium"
            label="Only with consent"
            describedBy={consentHint}
            checked={website.adClickIdsNeedConsent}
            disabled={save.isPending}
            onChange={(adClickIdsNeedConsent) => save.mutate({ adClickIdsNeedConsent })}
          />
          <p id={consentHint} className="mt-1 text-[0.8125rem] text-muted">
            Your consent banner calls <code>althing(&apos;consent&apos;, {'{ads: true}'})</code>.
          </p>
        </div>
        <SelectField
          label="Readable for"
          value={String(days)}
          disabled={save.isPending}
          hint="After that their keys are deleted: nobody can read them any more, in no table and no backup."
          onChange={(event) => save.mutate({ adClickIdDays: Number(event.target.value) })}
        >
          {choices.map((count) => (
            <option key={count} value={count}>
              {count === 1 ? '1 day' : `${count} days`}
            </option>
          ))}
        </SelectField>
      </div>
    </section>
  );
}
