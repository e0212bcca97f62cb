import { useMutation, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { ApiError } from '@/lib/api/errors';
import type { NewLink, Partner, Website } from '@/lib/api/types';
import { creationOf, EMPTY_DRAFT } from '../lib/draft';
import { LinkFields } from './link-fields';
import { useLinksChanged } from '../api/links';

interface Props {
  /** With more than one there is a choice. */
  readonly websites: readonly Website[];
  readonly partners: UseQueryResult<Partner[]>;
  readonly onClose: () => void;
}

export function CreateLink({ websites, partners, onClose }: Props) {
  const changed = useLinksChanged();
  const [websiteId, setWebsiteId] = useState(websites.length === 1 ? (websites[0]?.id ?? '') : '');
  const [partnerId, setPartnerId] = useState('');
  const [slug, setSlug] = useState('');
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [created, setCreated] = useState<NewLink | null>(null);
  const active = partners.data?.filter((partner) => partner.isActive) ?? [];
  const create = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/platform/links', {
          body: { websiteId, partnerId, ...creationOf(draft), ...(slug.trim() ? { slug: slug.trim() } : {}) },
        }),
      ),
    onSuccess: async (link) => {
      setCreated(link);
      await changed();
    },
  });
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  const only = websites.length === 1 ? websites[0] : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={created ? 'Link created' : 'Create link'}
      description={
        created
          ? 'Paste this link wherever you promote the partner.'
          : `A tracked link of ${only ? only.domain : 'a website'} to a partner.`
      }
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
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (partnerId && websiteId) create.mutate();
          }}
        >
          {partners.error && <ErrorBox error={partners.error} onRetry={() => void partners.refetch()} />}
          {!only && (
            <SelectField
              label="Website"
              required
              value={websiteId}
              onChange={(event) => setWebsiteId(event.target.value)}
              error={fields['websiteId']}
            >
              <option value="">Choose…</option>
              {websites.map((website) => (
                <option key={website.id} value={website.id}>
                  {website.domain}
                </option>
              ))}
            </SelectField>
          )}
          <SelectField
            label="Partner"
            required
            value={partnerId}
            onChange={(event) => setPartnerId(event.target.value)}
            error={fields['partnerId']}
          >
            <option value="">Choose…</option>
            {active.map((partner) => (
              <option key={partner.id} value={partner.id}>
                {partner.name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Slug (optional)"
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
            error={fields['slug']}
            hint="Last part of the link. Leave blank for a random slug."
          />
          <LinkFields draft={draft} onChange={setDraft} errors={fields} isNew />
          {create.error && <ErrorBox error={create.error} />}
          <Button
            type="submit"
            variant="primary"
            busy={create.isPending}
            disabled={!partnerId || !websiteId}
            className="self-end"
          >
            Create link
          </Button>
        </form>
      )}
    </Dialog>
  );
}
