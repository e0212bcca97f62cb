import { useQuery } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyField } from '@/components/ui/copy-field';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { AddDomain as AddDomainBounds } from '@/lib/api/request-schemas';
import type { CustomDomain, Website } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { userQuery, websitesQuery } from '@/lib/api/shared-queries';
import { addDomain, checkDomain, domainsQuery, removeDomain } from '../api/domains';

const STATES: Record<CustomDomain['state'], { readonly label: string; readonly tone: Tone }> = {
  pending: { label: 'Pending verification', tone: 'warn' },
  verified: { label: 'Verified', tone: 'good' },
  lost: { label: 'Record missing', tone: 'bad' },
  expired: { label: 'Expired', tone: 'bad' },
};

/** Links of a website under a name of its owner's own. `connect` is shown to users without a website. */
export function DomainsPanel({ connect }: { readonly connect: ReactNode }) {
  const websites = useQuery(websitesQuery);
  const domains = useQuery(domainsQuery);
  const zone = useQuery(userQuery).data?.timezone ?? 'UTC';
  const error = websites.error ?? domains.error;
  const failed = error && (
    <ErrorBox error={error} onRetry={() => void Promise.all([websites.refetch(), domains.refetch()])} />
  );
  if (!websites.data || !domains.data) return failed ?? <Loading label="Loading custom domains" />;
  return (
    <div className="flex flex-col gap-5">
      {failed}
      {websites.data.length === 0 ? (
        <Card title="Add a custom domain">
          <Empty icon={<Globe aria-hidden className="size-5" />} title="No Websites Found" action={connect}>
            You need to connect a website before adding a domain.
          </Empty>
        </Card>
      ) : (
        <AddDomain websites={websites.data} />
      )}
      {domains.data.length === 0 ? (
        <Card title="Custom domains">
          <Empty icon={<Globe aria-hidden className="size-5" />} title="No custom domains added yet">
            Links then look like https://go.example.com/go/… instead of using this installation’s domain.
          </Empty>
        </Card>
      ) : (
        domains.data.map((domain) => (
          <DomainCard
            key={domain.id}
            domain={domain}
            zone={zone}
            website={websites.data.find((item) => item.id === domain.websiteId)?.domain}
          />
        ))
      )}
    </div>
  );
}

function AddDomain({ websites }: { readonly websites: readonly Website[] }) {
  const form = useRequestForm({
    request: AddDomainBounds,
    initial: { domain: '', websiteId: websites[0]?.id ?? '' },
    command: useCommand(addDomain),
    onSent: () => {
      form.reset({ ...form.values, domain: '' });
    },
  });
  return (
    <Card title="Add a custom domain" description="Use your own domain for a website’s links">
      <Form form={form} className="flex flex-wrap items-start gap-4">
        <TextField
          label="Domain"
          placeholder="go.example.com"
          inputMode="url"
          autoComplete="off"
          className="min-w-56 flex-1"
          {...form.field('domain')}
          error={form.fault('domain') ?? (form.error ? messageOf(form.error) : undefined)}
        />
        {websites.length > 1 && (
          <SelectField label="Website" className="min-w-40" {...form.field('websiteId')}>
            {websites.map((website) => (
              <option key={website.id} value={website.id}>
                {website.domain}
              </option>
            ))}
          </SelectField>
        )}
        <SubmitButton form={form} className="mt-6.5" disabled={!form.isComplete}>
          Add domain
        </SubmitButton>
      </Form>
    </Card>
  );
}

function DomainCard({
  domain,
  website,
  zone,
}: {
  readonly domain: CustomDomain;
  readonly website: string | undefined;
  readonly zone: string;
}) {
  const [removing, setRemoving] = useState(false);
  const check = useCommand(checkDomain(website));
  const remove = useCommand(removeDomain);
  const { label, tone } = STATES[domain.state];
  return (
    <Card
      title={domain.domain}
      description={website ? `For links of ${website}` : 'For links of a removed website'}
      actions={
        <>
          <Button
            size="sm"
            busy={check.isPending}
            aria-label={`Check now: ${domain.domain}`}
            onClick={() => check.mutate(domain.id)}
          >
            Check now
          </Button>
          <Button
            size="sm"
            aria-label={`Remove ${domain.domain}`}
            disabled={remove.isPending}
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{label}</Badge>
        {domain.sslEnabled && <Badge tone="good">SSL</Badge>}
        <span className="text-[0.8125rem] text-muted">
          {domain.lastCheckedAt ? `Last checked ${formatZoned(domain.lastCheckedAt, zone)}` : 'Not checked yet'}
          {domain.expiresAt && domain.state !== 'expired' && `, checked until ${formatZoned(domain.expiresAt, zone)}`}
        </span>
      </div>
      {domain.problem && <p className="mt-3 text-warn">{domain.problem}</p>}
      {domain.state !== 'verified' && (
        <div className="mt-4 grid gap-4">
          <p className="text-muted">
            {domain.state === 'expired'
              ? 'The DNS record was not found in time. Remove the domain and add it again.'
              : 'Add this record to the DNS of your domain. It is public and must stay: it is checked every day.'}
          </p>
          <CopyField label="Name of the TXT record" value={domain.verificationName} multiline />
          <CopyField label="Value of the TXT record" value={domain.verificationToken} multiline />
        </div>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${domain.domain}?`}
          description="Links stop working under this domain, and another website can add it."
          action="Remove domain"
          onConfirm={() => remove.mutate(domain.id)}
          onClose={() => setRemoving(false)}
        />
      )}
    </Card>
  );
}
