import { useState } from 'react';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { PostbackUrl } from '@/components/partners/postback-url';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { CreateKey } from '@/lib/api/request-schemas';
import type { NewWebsiteKey, Website, WebsiteKey } from '@/lib/api/types';
import { createKey } from '../api/websites';
import { KINDS, type Kind } from '../lib/key-kinds';

interface Props {
  readonly website: Website;
  /** The key that the new one is to replace: same kind, same origins. */
  readonly old: WebsiteKey | null;
  readonly onClose: () => void;
}

export function NewKey({ website, old, onClose }: Props) {
  const [created, setCreated] = useState<NewWebsiteKey | null>(null);
  const form = useRequestForm({
    request: CreateKey,
    initial: {
      kind: old?.kind ?? ('secret' as Kind),
      name: old?.name ?? '',
      origins: old?.allowedOrigins.join(', ') ?? '',
    },
    rules: { name: { maxLength: 60 } },
    command: useCommand(createKey(website.id), { onSuccess: setCreated }),
    input: ({ kind: chosen, name, origins }) => {
      const allowedOrigins = origins.split(/[\s,]+/).filter(Boolean);
      return {
        kind: chosen,
        name,
        ...(chosen === 'site' && allowedOrigins.length > 0 ? { allowedOrigins } : {}),
      };
    },
  });
  const { kind } = form.values;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      once={created?.kind === 'secret' || created?.kind === 'site'}
      title={created ? 'Your new key' : old ? `Rotate ${KINDS[old.kind].name.toLowerCase()} ${old.hint}` : 'New key'}
      description={`${created ? { site: 'Add it to your pages.', secret: 'Copy it now: it is shown only once.', postback: 'You can copy its URL again at any time.' }[created.kind] : `For ${website.domain}.`}${old ? ' The old key stays valid until you revoke it.' : ''}`}
    >
      {created ? (
        <div className="flex flex-col gap-4">
          <CopyField label={KINDS[created.kind].name} value={created.key} />
          {created.kind === 'postback' && <PostbackUrl website={website} token={created.key} />}
          <Button variant="primary" className="self-end" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : (
        <Form form={form} native>
          <SelectField label="Kind" disabled={old !== null} hint={KINDS[kind].hint} {...form.field('kind')}>
            {Object.entries(KINDS).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Name (optional)"
            hint={kind === 'postback' ? 'For example, the network that gets it.' : 'To tell keys apart.'}
            {...form.field('name')}
          />
          {kind === 'site' && (
            <TextField
              label="Allowed origins (optional)"
              placeholder={`https://${website.domain}`}
              hint="Separate several with commas. Events from other origins are rejected. Leave blank to allow any."
              {...form.field('origins')}
            />
          )}
          <FormError form={form} />
          <SubmitButton form={form} className="self-end">
            Create key
          </SubmitButton>
        </Form>
      )}
    </Dialog>
  );
}
