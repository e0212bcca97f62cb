import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { websitesQuery } from '@/lib/api/shared-queries';
import { resetRule, rulesQuery, setRule, type AlertNumber, type AlertRule, type RuleChange } from '../api/alerts';

/** What each website alerts about, and from where on. */
export function AlertsPanel({ help }: { readonly help: ReactNode }) {
  const websites = useQuery(websitesQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const website = websites.data?.find((item) => item.id === chosen) ?? websites.data?.[0];
  return (
    <Card
      title="Alerts"
      description={<>You get one notification per cause, and a new one only after it was resolved. {help}</>}
      actions={
        website &&
        (websites.data?.length ?? 0) > 1 && (
          <Select label="Website" value={website.id} onChange={(event) => setChosen(event.target.value)}>
            {websites.data?.map((item) => (
              <option key={item.id} value={item.id}>
                {item.domain}
              </option>
            ))}
          </Select>
        )
      }
    >
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Skeleton className="h-96" />
      ) : website ? (
        <Rules key={website.id} website={website} />
      ) : (
        <p className="text-muted">Connect a website first. Its alerts are on from then on.</p>
      )}
    </Card>
  );
}

function Rules({ website }: { readonly website: Website }) {
  const rules = useQuery(rulesQuery(website.id));
  if (rules.error && !rules.data) return <ErrorBox error={rules.error} onRetry={() => void rules.refetch()} />;
  if (!rules.data) return <Skeleton className="h-96" />;
  return (
    <ul aria-label={`Alerts of ${website.domain}`} className="-my-3 divide-y divide-line">
      {rules.data.map((rule) => (
        <Rule key={rule.kind} rule={rule} />
      ))}
    </ul>
  );
}

function Rule({ rule }: { readonly rule: AlertRule }) {
  const save = useCommand(setRule);
  const reset = useCommand(resetRule);
  const now: RuleChange = {
    websiteId: rule.websiteId,
    kind: rule.kind,
    enabled: rule.enabled,
    threshold: rule.threshold?.value ?? null,
    minimum: rule.minimum?.value ?? null,
  };
  const faults = save.error instanceof ApiError ? save.error.fields : {};
  const fault = faults['threshold'] ?? faults['minimum'] ?? (save.error ? messageOf(save.error) : undefined);
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 py-3">
      <Check
        className="min-h-9 min-w-56 flex-1 font-medium"
        label={rule.title}
        checked={rule.enabled}
        disabled={save.isPending}
        onChange={(enabled) => save.mutate({ ...now, enabled })}
      />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2 max-sm:pl-7">
        {rule.threshold && (
          <NumberInput
            label={`${rule.title}: ${rule.threshold.unit}`}
            before={rule.threshold.unit.startsWith('percent') ? 'by' : rule.threshold.unit === 'hours' ? 'for' : 'from'}
            number={rule.threshold}
            disabled={!rule.enabled}
            onSave={(threshold) => save.mutate({ ...now, threshold })}
          />
        )}
        {rule.minimum && (
          <NumberInput
            label={`${rule.title}: minimum ${rule.minimum.unit}`}
            before="with"
            number={rule.minimum}
            disabled={!rule.enabled}
            onSave={(minimum) => save.mutate({ ...now, minimum })}
          />
        )}
        {rule.id && (
          <Button
            variant="ghost"
            busy={reset.isPending}
            aria-label={`Reset: ${rule.title}`}
            onClick={() => rule.id && reset.mutate({ id: rule.id, websiteId: rule.websiteId })}
          >
            Reset
          </Button>
        )}
      </div>
      {fault && (
        <p role="alert" className="basis-full text-[0.8125rem] text-bad">
          {fault}
        </p>
      )}
    </li>
  );
}

interface NumberProps {
  readonly label: string;
  /** The word before the number. */
  readonly before: string;
  readonly number: AlertNumber;
  readonly disabled: boolean;
  readonly onSave: (value: number) => void;
}

/** Saved when it is left or by Enter. */
function NumberInput({ label, before, number, disabled, onSave }: NumberProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const save = () => {
    const value = Number(draft);
    if (draft !== null && draft.trim() !== '' && Number.isInteger(value) && value !== number.value) onSave(value);
    setDraft(null);
  };
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="text-muted">
        {before}
      </span>
      <input
        type="number"
        inputMode="numeric"
        aria-label={label}
        min={number.least}
        max={number.most}
        disabled={disabled}
        value={draft ?? number.value}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === 'Enter' && save()}
        className="h-9 w-24 rounded-lg border border-line-strong/60 bg-surface px-3 text-right tabular disabled:opacity-55"
      />
      <span aria-hidden className="text-muted">
        {number.unit}
      </span>
    </span>
  );
}
