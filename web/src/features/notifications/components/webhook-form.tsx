import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { ApiError, messageOf } from '@/lib/api/errors';
import { websitesQuery } from '@/lib/shared-queries';
import { toast } from '@/stores/toasts';
import { SecretDialog } from './secret-dialog';
import { addWebhook, changeWebhook, type AlertKind, type Webhook, type WebhookFormat } from '../api/alerts';
import { ALERT_NAMES } from '../lib/alert-names';

interface Props {
  /** The one that is changed; null: a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}

/** Address and content of a webhook. The secret of a new one is shown at the end. */
export function WebhookForm({ webhook, onClose }: Props) {
  const client = useQueryClient();
  const websites = useQuery(websitesQuery).data ?? [];
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'standard');
  const [websiteIds, setWebsiteIds] = useState<readonly string[]>(webhook?.websiteIds ?? []);
  const [kinds, setKinds] = useState<readonly AlertKind[]>(webhook?.kinds ?? []);
  const [resolved, setResolved] = useState(webhook?.resolved ?? false);
  const [secret, setSecret] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: async () => {
      const fields = { url: url.trim(), format, websiteIds: [...websiteIds], kinds: [...kinds], resolved };
      if (webhook) {
        await changeWebhook(webhook.id, fields);
        return null;
      }
      return (await addWebhook(fields)).secret;
    },
    onSuccess: async (made) => {
      toast(webhook ? 'Webhook saved' : 'Webhook added');
      if (made !== null && format === 'standard') setSecret(made);
      else onClose();
      await client.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  const fields = save.error instanceof ApiError ? save.error.fields : {};
  const isSlack = format === 'slack';
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={webhook ? 'Edit webhook' : 'Add webhook'}
      description="Each new alert is sent once. Messages wait during your quiet hours."
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <SelectField
          label="Format"
          value={format}
          hint={
            isSlack
              ? 'For incoming webhooks of Slack and compatible chats, such as Mattermost.'
              : 'Signed JSON (Standard Webhooks) for your own server.'
          }
          onChange={(event) => setFormat(event.target.value === 'slack' ? 'slack' : 'standard')}
        >
          <option value="standard">Signed JSON</option>
          <option value="slack">Slack</option>
        </SelectField>
        <TextField
          label="URL"
          inputMode="url"
          autoComplete="off"
          placeholder={isSlack ? 'https://hooks.slack.com/services/…' : 'https://example.com/webhooks/althing'}
          error={fields['url'] ?? (save.error && !fields['url'] ? messageOf(save.error) : undefined)}
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <Choices
          legend="Websites"
          all="All websites"
          options={websites.map((website) => ({ id: website.id, label: website.domain }))}
          chosen={websiteIds}
          onChange={setWebsiteIds}
        />
        <Choices
          legend="Alerts"
          all="All alerts"
          options={Object.entries(ALERT_NAMES).map(([id, label]) => ({ id: id as AlertKind, label }))}
          chosen={kinds}
          onChange={setKinds}
        />
        <Check label="Also send when an alert is resolved" checked={resolved} onChange={setResolved} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending} disabled={url.trim() === ''}>
            {webhook ? 'Save' : 'Add webhook'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoicesProps<Id extends string> {
  readonly legend: string;
  readonly all: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  /** None: all. */
  readonly chosen: readonly Id[];
  readonly onChange: (chosen: readonly Id[]) => void;
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
