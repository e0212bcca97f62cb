import { SelectField, TextArea, TextField } from '@/components/ui/field';
import type { Draft, Faults } from '../lib/draft';
import { DollarsField } from './dollars-field';
import { NICHE_LABELS, NICHES } from '../lib/format';

export interface FieldsProps {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly onBlur: () => void;
}

export function WebsiteStep({ draft, faults, onChange, onBlur }: FieldsProps) {
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <TextField
        label="Title"
        maxLength={120}
        value={draft.title}
        error={faults.title}
        onBlur={onBlur}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextField
        label="Website address"
        type="url"
        inputMode="url"
        maxLength={500}
        placeholder="https://"
        value={draft.websiteUrl}
        error={faults.websiteUrl}
        onBlur={onBlur}
        onChange={(event) => onChange({ websiteUrl: event.target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Niche"
          value={draft.niche}
          error={faults.niche}
          onBlur={onBlur}
          onChange={(event) => onChange({ niche: NICHES.find((niche) => niche === event.target.value) ?? '' })}
        >
          <option value="">Choose…</option>
          {NICHES.map((niche) => (
            <option key={niche} value={niche}>
              {NICHE_LABELS[niche]}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Years established"
          inputMode="decimal"
          maxLength={6}
          value={draft.yearsEstablished}
          error={faults.yearsEstablished}
          onBlur={onBlur}
          onChange={(event) => onChange({ yearsEstablished: event.target.value })}
        />
      </div>
      <TextArea
        label="Description"
        rows={8}
        maxLength={10_000}
        value={draft.description}
        error={faults.description}
        onBlur={onBlur}
        onChange={(event) => onChange({ description: event.target.value })}
        hint="Describe traffic sources, monetization, workload and what is included."
      />
    </div>
  );
}

export function NumbersStep({ draft, faults, onChange, onBlur }: FieldsProps) {
  const money = (name: 'askingPrice' | 'monthlyRevenue' | 'monthlyProfit') => ({
    value: draft[name],
    error: faults[name],
    onBlur,
    onChange: (text: string) => onChange({ [name]: text }),
  });
  return (
    <div className="grid max-w-2xl gap-4 sm:grid-cols-2">
      <DollarsField label="Asking price" {...money('askingPrice')} />
      <TextField
        label="Monthly traffic (visitors)"
        inputMode="numeric"
        maxLength={16}
        value={draft.monthlyTraffic}
        error={faults.monthlyTraffic}
        onBlur={onBlur}
        onChange={(event) => onChange({ monthlyTraffic: event.target.value })}
      />
      <DollarsField label="Monthly revenue" {...money('monthlyRevenue')} />
      <DollarsField label="Monthly profit" {...money('monthlyProfit')} hint="Enter a loss as a negative number." />
    </div>
  );
}
