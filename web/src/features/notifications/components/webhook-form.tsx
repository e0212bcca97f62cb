import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { AddWebhook } from '@/lib/api/request-schemas';
import { websitesQuery } from '@/lib/api/shared-queries';
import { SecretDialog } from './secret-dialog';
import { saveWebhook, type AlertKind, type Webhook, type WebhookFormat } from '../api/alerts';
import { ALERT_NAMES } from '../lib/alert-names';

interface Props {
  /** The one that is changed; null: a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}

/** Address and content of a webhook. The secret of a new one is shown at the end. */
export function WebhookForm({ webhook, onClose }: Props) {
  const websites = useQuery(websitesQuery).data ?? [];
  const [secret, setSecret] = useState<string | null>(null);
  const form = useRequestForm({
    request: AddWebhook,
    initial: {
      url: webhook?.url ?? '',
      format: webhook?.format ?? ('standard' as WebhookFormat),
      websiteIds: webhook?.websiteIds ?? [],
      kinds: webhook?.kinds ?? [],
      resolved: webhook?.resolved ?? false,
    },
    command: useCommand(saveWebhook(webhook), {
      onSuccess: (made, { format }) => {
        if (made !== null && format === 'standard') setSecret(made);
        else onClose();
      },
    }),
  });
  const { format, websiteIds, kinds, resolved } = form.values;
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  const isSlack = format === 'slack';
  const url = form.field('url');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={webhook ? 'Edit webhook' : 'Add webhook'}
      description="Each new alert is sent once. Messages wait during your quiet hours."
    >
      <Form form={form}>
        <SelectField
          label="Format"
          {...form.field('format')}
          hint={
            isSlack
              ? 'For incoming webhooks of Slack and compatible chats, such as Mattermost.'
              : 'Signed JSON (Standard Webhooks) for your own server.'
          }
        >
          <option value="standard">Signed JSON</option>
          <option value="slack">Slack</option>
        </SelectField>
        <TextField
          label="URL"
          inputMode="url"
          autoComplete="off"
          placeholder={isSlack ? 'https://hooks.slack.com/services/…' : 'https://example.com/webhooks/althing'}
          {...url}
          error={url.error ?? (form.error ? messageOf(form.error) : undefined)}
        />
        <Choices
          legend="Websites"
          all="All websites"
          options={websites.map((website) => ({ id: website.id, label: website.domain }))}
          chosen={websiteIds}
          onChange={form.set('websiteIds')}
        />
        <Choices
          legend="Alerts"
          all="All alerts"
          options={Object.entries(ALERT_NAMES).map(([id, label]) => ({ id: id as AlertKind, label }))}
          chosen={kinds}
          onChange={form.set('kinds')}
        />
        <Check label="Also send when an alert is resolved" checked={resolved} onChange={form.set('resolved')} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} disabled={!form.isComplete}>
            {webhook ? 'Save' : 'Add webhook'}
          </SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

interface ChoicesProps<Id extends string> {
  readonly legend: string;
  readonly all: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  /** None: all. */
  readonly chosen: readonly Id[];
  readonly onChange: (chosen: Id[]) => void;
}

/** All of them, or some. */
function Choices<Id extends string>({ legend, all, options, chosen, onChange }: ChoicesProps<Id>) {
  const [some, setSome] = useState(chosen.length > 0);
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{legend}</legend>
      <Check
        label={all}
        className="py-1"
        checked={!some}
        onChange={(every) => {
          setSome(!every);
          onChange([]);
        }}
      />
      {some && (
        <div className="mt-1 max-h-44 overflow-y-auto rounded-lg border border-line px-3 py-1.5">
          {options.map((option) => (
            <Check
              key={option.id}
              label={option.label}
              className="py-1 [overflow-wrap:anywhere]"
              checked={chosen.includes(option.id)}
              onChange={(on) => onChange(on ? [...chosen, option.id] : chosen.filter((id) => id !== option.id))}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
