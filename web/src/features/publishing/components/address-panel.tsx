import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { domainsQuery, moveSite } from '../api/sites';
import type { Site } from '../lib/types';

export function AddressPanel({ site }: { readonly site: Site }) {
  const domains = useQuery(domainsQuery);
  const [slug, setSlug] = useState(site.slug);
  const [domainId, setDomainId] = useState(site.domainId ?? '');
  const move = useCommand(moveSite(site.id));
  const fields = move.error instanceof ApiError ? move.error.fields : {};
  const own = domains.data?.filter((domain) => domain.websiteId === site.websiteId) ?? [];
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Card title="Address" description="Where visitors find the site">
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            move.mutate({ slug, domainId: domainId || null });
          }}
        >
          <CopyField label="Current address" value={site.address} />
          <TextField
            label="Slug"
            hint={`/sites/${slug || '…'}/ on the tracking address`}
            maxLength={64}
            value={slug}
            error={fields['slug']}
            onChange={(event) => setSlug(event.target.value)}
          />
          <SelectField
            label="Custom domain"
            hint="Verified domains of the site’s website. Add one in Account Settings."
            value={domainId}
            error={fields['domainId']}
            onChange={(event) => setDomainId(event.target.value)}
          >
            <option value="">None</option>
            {own.map(({ id, domain, isVerified }) => (
              <option key={id} value={id} disabled={!isVerified}>
                {isVerified ? domain : `${domain} (not verified)`}
              </option>
            ))}
          </SelectField>
          {domains.error && <ErrorBox error={domains.error} onRetry={() => void domains.refetch()} />}
          {move.error && Object.keys(fields).length === 0 && <ErrorBox error={move.error} prefix="Not saved" />}
          <Button
            type="submit"
            variant="primary"
            className="self-start"
            busy={move.isPending}
            disabled={slug === site.slug && domainId === (site.domainId ?? '')}
          >
            Save address
          </Button>
        </form>
      </Card>
    </div>
  );
}
