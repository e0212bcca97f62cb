import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { ApiError } from '@/lib/api/errors';
import type { NewLink, Partner, Website } from '@/lib/api/types';
import { linksQuery } from './queries';

interface Props {
  readonly website: Website;
  readonly partners: UseQueryResult<Partner[]>;
  readonly onClose: () => void;
}

export function CreateLink({ website, partners, onClose }: Props) {
  const client = useQueryClient();
  const [partnerId, setPartnerId] = useState('');
  const [destination, setDestination] = useState('');
  const [sub1, setSub1] = useState('');
  const [slug, setSlug] = useState('');
  const [created, setCreated] = useState<NewLink | null>(null);
  const active = partners.data?.filter((partner) => partner.isActive) ?? [];
  const optional = Object.fromEntries(Object.entries({ destination, sub1, slug }).filter(([, value]) => value.trim() !== '').map(([name, value]) => [name, value.trim()]));
  const create = useMutation({
    mutationFn: () => body(api.POST('/api/platform/links', { body: { websiteId: website.id, partnerId, ...optional } })),
    onSuccess: async (link) => {
      setCreated(link);
      await client.invalidateQueries({ queryKey: linksQuery(website.id).queryKey });
    },
  });
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={created ? 'Link created' : 'Create link'}
      description={created ? 'Put this address where you recommend the partner.' : `A tracked link of ${website.domain} to a partner.`}
    >
      {created ? (
        <div className="flex flex-col gap-4">
          <CopyField label="Link address" value={created.url} />
          <Button variant="primary" className="self-end" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : partners.data && active.length === 0 ? (
        <p className="text-muted">There is no active partner yet. An administrator adds partners.</p>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (partnerId) create.mutate();
          }}
        >
          {partners.error && <ErrorBox error={partners.error} onRetry={() => void partners.refetch()} />}
          <SelectField label="Partner" required value={partnerId} onChange={(event) => setPartnerId(event.target.value)} error={fields['partnerId']}>
            <option value="">Choose…</option>
            {active.map((partner) => (
              <option key={partner.id} value={partner.id}>
                {partner.name}
              </option>
            ))}
          </SelectField>
          <TextField label="Destination (optional)" type="url" inputMode="url" placeholder="https://" value={destination} onChange={(event) => setDestination(event.target.value)} error={fields['destination']} hint="A page of the partner's site. Empty means its start page." />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Sub-ID 1 (optional)" value={sub1} onChange={(event) => setSub1(event.target.value)} error={fields['sub1']} hint="Where the link stands." />
            <TextField label="Slug (optional)" value={slug} onChange={(event) => setSlug(event.target.value)} error={fields['slug']} hint="The end of its address." />
          </div>
          {create.error && Object.keys(fields).length === 0 && <ErrorBox error={create.error} />}
          <Button type="submit" variant="primary" busy={create.isPending} disabled={!partnerId} className="self-end">
            Create link
          </Button>
        </form>
      )}
    </Dialog>
  );
}
