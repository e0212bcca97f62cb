import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { partnersQuery } from '@/lib/api/shared-queries';
import type { Partner } from '@/lib/api/types';
import { partnersAt } from '../lib/creation';
import type { VariantDraft } from '../lib/draft';

interface Props {
  readonly variants: readonly VariantDraft[];
  /** The link's; empty: not known yet. */
  readonly partnerId: string;
  readonly onChange: (variants: readonly VariantDraft[]) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** The variants of a split: where each leads, its partner, name and weight. */
export function SplitFields({ variants, partnerId, onChange, errors }: Props) {
  const partners = useQuery(partnersQuery);
  return variants.map((variant, index) => (
    <VariantFields
      // A new variant has no identity but its place.
      key={variant.number ?? `new ${index}`}
      place={index}
      variant={variant}
      partners={partners.data ?? []}
      linkPartner={partnerId}
      errors={errors}
      onChange={(next) => onChange(variants.map((item, place) => (place === index ? next : item)))}
      onRemove={() => onChange(variants.length === 2 ? [] : variants.filter((_, place) => place !== index))}
    />
  ));
}

interface VariantProps {
  readonly place: number;
  readonly variant: VariantDraft;
  readonly partners: readonly Partner[];
  readonly linkPartner: string;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (variant: VariantDraft) => void;
  readonly onRemove: () => void;
}

function VariantFields({ place, variant, partners, linkPartner, errors, onChange, onRemove }: VariantProps) {
  const set = (change: Partial<VariantDraft>) => onChange({ ...variant, ...change });
  const error = (field: string) => errors[`variants.${place}.${field}`];
  const choices = partners.filter((item) => item.isActive || item.id === variant.partnerId);
  const name = `Variant ${variant.number ?? place + 1}`;
  return (
    <div role="group" aria-label={name} className="flex flex-col gap-3 rounded-lg bg-sunken/60 p-3">
      <TextField
        label="Destination URL"
        type="url"
        placeholder="https://"
        value={variant.destination}
        onChange={(event) => {
          const destination = event.target.value;
          set({ destination, partnerId: partnerAt(destination, partners, linkPartner, variant.partnerId) });
        }}
        error={error('destination') ?? error('number')}
      />
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          className="min-w-40 flex-1"
          label="Partner"
          value={variant.partnerId === linkPartner ? '' : variant.partnerId}
          onChange={(event) => set({ partnerId: event.target.value })}
          error={error('partnerId')}
        >
          <option value="">Same as the link</option>
          {choices
            .filter((item) => item.id !== linkPartner)
            .map((item) => (
              <option key={item.id} value={item.id}>
                {item.name}
                {item.isPrivate && ' (private)'}
              </option>
            ))}
        </SelectField>
        <TextField
          className="min-w-32 flex-1"
          label="Name (optional)"
          placeholder={name}
          value={variant.name}
          onChange={(event) => set({ name: event.target.value })}
          error={error('name')}
        />
        <TextField
          className="w-20"
          label="Weight"
          type="number"
          min={1}
          max={1000}
          value={variant.weight}
          onChange={(event) => set({ weight: event.target.value })}
          error={error('weight')}
        />
        <Button variant="ghost" size="icon" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <Trash2 aria-hidden className="size-4" />
        </Button>
      </div>
    </div>
  );
}

/** The partner on whose site the destination is, if there is one; empty: the link's. */
function partnerAt(destination: string, partners: readonly Partner[], linkPartner: string, chosen: string): string {
  const found = partnersAt(destination, partners).map((item) => item.id);
  if (found.length === 0 || found.includes(chosen || linkPartner)) return chosen;
  if (found.includes(linkPartner)) return '';
  return found.length === 1 ? (found[0] ?? '') : chosen;
}
