import { useQuery } from '@tanstack/react-query';
import { ErrorBox } from '@/components/data/states';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { SiteAddress } from '@/lib/api/request-schemas';
import { domainsQuery, moveSite } from '../api/sites';
import type { Site } from '../lib/types';

export function AddressPanel({ site }: { readonly site: Site }) {
  const domains = useQuery(domainsQuery);
  const form = useRequestForm({
    request: SiteAddress,
    initial: { slug: site.slug, domainId: site.domainId ?? '' },
    rules: { slug: { maxLength: 64, required: false } }, // the server says what a slug is
    command: useCommand(moveSite(site.id)),
    input: (values) => ({ slug: values.slug, domainId: values.domainId || null }),
  });
  const { slug, domainId } = form.values;
  const own = domains.data?.filter((domain) => domain.websiteId === site.websiteId) ?? [];
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Card title="Address" description="Where visitors find the site">
        <Form form={form}>
          <CopyField label="Current address" value={site.address} />
          <TextField label="Slug" hint={`/sites/${slug || '…'}/ on the tracking address`} {...form.field('slug')} />
          <SelectField
            label="Custom domain"
            hint="Verified domains of the site’s website. Add one in Account Settings."
            {...form.field('domainId')}
          >
            <option value="">None</option>
            {own.map(({ id, domain, isVerified }) => (
              <option key={id} value={id} disabled={!isVerified}>
                {isVerified ? domain : `${domain} (not verified)`}
              </option>
            ))}
          </SelectField>
          {domains.error && <ErrorBox error={domains.error} onRetry={() => void domains.refetch()} />}
          <FormError form={form} prefix="Not saved" />
          <SubmitButton
            form={form}
            className="self-start"
            disabled={slug === site.slug && domainId === (site.domainId ?? '')}
          >
            Save address
          </SubmitButton>
        </Form>
      </Card>
    </div>
  );
}
