import { Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { CountriesField } from '@/components/ui/countries-field';
import { TextField } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { DEVICES, newVariant, SUBS, type LinkDraft, type RuleDraft } from '../lib/draft';

const SplitFields = lazy(() => import('./split-fields').then((module) => ({ default: module.SplitFields })));

interface Props {
  readonly draft: LinkDraft;
  /** Of the link's partner; empty: not known yet. */
  readonly partnerId: string;
  readonly onChange: (draft: LinkDraft) => void;
  /** By the names of the API: "rules.0.destination". */
  readonly errors: Readonly<Record<string, string>>;
}

const FIRST_SUBS = 2;

/** What a link may have beside its destination: sub ids, coupon, targeting, split, expiry and fallback. */
export function LinkFields({ draft, partnerId, onChange, errors }: Props) {
  const set = (change: Partial<LinkDraft>) => onChange({ ...draft, ...change });
  const used = draft.subs.reduce((most, text, index) => (text ? index + 1 : most), 0);
  const [subs, setSubs] = useState(Math.max(FIRST_SUBS, used));
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {SUBS.slice(0, subs).map((name, index) => (
          <TextField
            key={name}
            label={`Sub-ID ${index + 1} (optional)`}
            value={draft.subs[index] ?? ''}
            error={errors[name]}
            onChange={(event) =>
              set({ subs: draft.subs.map((text, place) => (place === index ? event.target.value : text)) })
            }
          />
        ))}
      </div>
      {subs < SUBS.length && <Add onClick={() => setSubs(subs + 1)}>Add sub-ID</Add>}
      <TextField
        label="Coupon (optional)"
        value={draft.coupon}
        onChange={(event) => set({ coupon: event.target.value })}
        error={errors['coupon']}
        hint="Sales using this coupon are credited to this link."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Tags (optional)"
          value={draft.tags}
          onChange={(event) => set({ tags: event.target.value })}
          error={errors['tags']}
          hint="Separate several with commas."
        />
        <TextField
          label="Folder (optional)"
          value={draft.folder}
          onChange={(event) => set({ folder: event.target.value })}
          error={errors['folder']}
        />
      </div>
      <Group title="Targeting" text="Rules are checked in order; the first match wins." error={errors['rules']}>
        {draft.rules.map((rule, index) => (
          // A rule has no identity but its place.
          <RuleFields
            key={index}
            place={index}
            rule={rule}
            errors={errors}
            onChange={(next) => set({ rules: draft.rules.map((item, place) => (place === index ? next : item)) })}
            onRemove={() => set({ rules: draft.rules.filter((_, place) => place !== index) })}
          />
        ))}
        <Add onClick={() => set({ rules: [...draft.rules, { countries: [], devices: [], destination: '' }] })}>
          Add rule
        </Add>
      </Group>
      <Group
        title="Split"
        text="Split visitors by weight (A/B test), also between partners. Returning visitors keep their variant. Overrides the destination."
        error={errors['variants']}
      >
        {draft.variants.length > 0 && (
          <Suspense fallback={<Skeleton className="h-32" />}>
            <SplitFields
              variants={draft.variants}
              partnerId={partnerId}
              errors={errors}
              onChange={(variants) => set({ variants })}
            />
          </Suspense>
        )}
        <Add
          onClick={() =>
            set({
              variants: [
                ...(draft.variants.length === 0 ? [newVariant(draft.destination)] : draft.variants),
                newVariant(''),
              ],
            })
          }
        >
          {draft.variants.length === 0 ? 'Split traffic' : 'Add variant'}
        </Add>
      </Group>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Expires (optional)"
          type="datetime-local"
          max="9999-12-31T23:59"
          value={draft.expiresAt}
          onChange={(event) => set({ expiresAt: event.target.value })}
          error={errors['expiresAt']}
          hint="In your time zone."
        />
        <TextField
          label="Fallback (optional)"
          type="url"
          inputMode="url"
          placeholder="https://"
          value={draft.fallback}
          onChange={(event) => set({ fallback: event.target.value })}
          error={errors['fallback']}
          hint="Redirect here when the link is expired or turned off: on the partner's site or your own website."
        />
      </div>
    </>
  );
}

interface RuleProps {
  readonly place: number;
  readonly rule: RuleDraft;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onRemove: () => void;
}

function RuleFields({ place, rule, errors, onChange, onRemove }: RuleProps) {
  const error = (field: string) => errors[`rules.${place}.${field}`];
  return (
    <div role="group" aria-label={`Rule ${place + 1}`} className="flex flex-col gap-3 rounded-lg bg-sunken/60 p-3">
      <CountriesField
        label="Countries"
        values={rule.countries}
        onChange={(countries) => onChange({ ...rule, countries })}
        error={error('countries') ?? errors[`rules.${place}`]}
        hint="Leave blank for any."
      />
      <fieldset>
        <legend className="mb-1.5 font-medium">Devices</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1.5">
          {DEVICES.map((device) => (
            <Check
              key={device}
              className="capitalize"
              label={device}
              checked={rule.devices.includes(device)}
              onChange={(on) =>
                onChange({
                  ...rule,
                  devices: DEVICES.filter((item) => (item === device ? on : rule.devices.includes(item))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="flex items-end gap-2">
        <TextField
          className="min-w-0 flex-1"
          label="Destination URL"
          type="url"
          placeholder="https://"
          value={rule.destination}
          onChange={(event) => onChange({ ...rule, destination: event.target.value })}
          error={error('destination')}
        />
        <Remove label={`Remove rule ${place + 1}`} onClick={onRemove} />
      </div>
    </div>
  );
}

function Group({
  title,
  text,
  error,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly error: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3.5">
      <legend className="px-1 font-medium">{title}</legend>
      <p className="text-[0.8125rem] text-muted">{text}</p>
      {children}
      {error && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Add({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <Button size="sm" className="self-start" onClick={onClick}>
      <Plus aria-hidden className="size-3.5" />
      {children}
    </Button>
  );
}

function Remove({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button variant="ghost" size="icon" aria-label={label} onClick={onClick}>
      <Trash2 aria-hidden className="size-4" />
    </Button>
  );
}
