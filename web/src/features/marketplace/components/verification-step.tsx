import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { useSession } from '@/lib/session';
import { websitesQuery } from '@/lib/shared-queries';
import { toast } from '@/stores/toasts';
import { listingQuery, useMarketChanged } from './queries';
import type { Saver } from './saver';
import type { FieldsProps } from './sell-fields';
import type { ListingInFull } from './types';
import { VerifiedCard } from './verified-card';

interface Props extends FieldsProps {
  readonly listing: ListingInFull;
  readonly saver: Saver;
}

const ASKED_MS = 3000;

/** Which of the seller's websites it is; then its figures are computed from that website's log. */
export function VerificationStep({ draft, faults, onChange, listing, saver }: Props) {
  const session = useSession();
  const websites = useQuery(websitesQuery);
  const current = useQuery({
    ...listingQuery(listing.id, session?.user.id),
    refetchInterval: (query) => (query.state.data?.verificationNote === 'asked' ? ASKED_MS : false),
  });
  const changed = useMarketChanged();
  const verify = useMutation({
    mutationFn: async () => {
      if (!(await saver.flush())) throw new Error('Your changes could not be saved yet.');
      return body(api.POST('/api/marketplace/listings/{id}/verify', { params: { path: { id: listing.id } } }));
    },
    onSuccess: () => toast('Verification asked for', 'The figures are computed from the website’s log.'),
    onSettled: changed,
  });
  return (
    <div className="flex flex-col gap-5">
      {websites.error && <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />}
      {websites.data?.length === 0 ? (
        <p className="max-w-2xl text-muted">
          None of your websites is measured here. Without that the listing shows “Pending” beside your figures.{' '}
          <Link to="/account-settings" search={{ tab: 'websites' }} className="text-brand underline">
            Connect a website
          </Link>
        </p>
      ) : (
        <div className="flex flex-wrap items-end gap-3">
          <SelectField className="w-full max-w-sm" label="Website measured here" value={draft.websiteId} error={faults.websiteId} onChange={(event) => onChange({ websiteId: event.target.value })}>
            <option value="">None of mine</option>
            {websites.data?.map((website) => (
              <option key={website.id} value={website.id}>
                {website.domain}
              </option>
            ))}
          </SelectField>
          <Button disabled={draft.websiteId === ''} busy={verify.isPending} onClick={() => verify.mutate()}>
            <BadgeCheck aria-hidden className="size-4" />
            Compare with its log
          </Button>
        </div>
      )}
      {current.data?.verificationNote === 'domain_not_proven' && (
        <p className="max-w-2xl text-muted">
          Connecting a website does not prove that it is yours. Add the website’s own domain under{' '}
          <Link to="/account-settings" search={{ tab: 'domains' }} className="text-brand underline">
            custom domains
          </Link>{' '}
          and set its TXT record. The figures are compared as soon as the record is found; keep it as long as the badge is to stay.
        </p>
      )}
      {verify.error && <ErrorBox error={verify.error} />}
      {current.data && <VerifiedCard listing={current.data} title="What buyers see" />}
    </div>
  );
}
