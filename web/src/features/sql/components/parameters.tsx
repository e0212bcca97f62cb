// A field for each parameter of the statement.
import { useQuery } from '@tanstack/react-query';
import { SelectField, TextField } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import type { Values } from '../lib/address';
import type { Parameter } from '../lib/parameters';

interface Props {
  readonly parameters: readonly Parameter[];
  readonly values: Values;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}

export function Parameters({ parameters, values, errors, onChange }: Props) {
  return (
    <fieldset className="mt-3">
      <legend className="mb-2 text-[0.8125rem] font-medium text-muted">Parameters</legend>
      <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {parameters.map((parameter) => (
          <Field
            key={parameter.name}
            parameter={parameter}
            value={values[parameter.name] ?? ''}
            error={errors[`parameters.${parameter.name}`]}
            onChange={(value) => onChange(parameter.name, value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface FieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

const INPUT = { date: 'date', time: 'datetime-local', number: 'text', text: 'text' } as const;

function Field({ parameter: { name, type, kind }, value, error, onChange }: FieldProps) {
  const websites = useQuery({ ...websitesQuery, enabled: kind === 'website' });
  if (kind === 'website' || kind === 'truth') {
    const choices =
      kind === 'truth'
        ? ['true', 'false'].map((one) => [one, one] as const)
        : (websites.data ?? []).map(({ id, domain }) => [id, domain] as const);
    return (
      <SelectField label={name} value={value} error={error} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose</option>
        {value && !choices.some(([id]) => id === value) && <option value={value}>{value}</option>}
        {choices.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      label={name}
      type={INPUT[kind]}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      {...(kind === 'time' ? { step: 1 } : {})}
      hint={kind === 'date' || kind === 'time' ? undefined : type}
      value={value}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
