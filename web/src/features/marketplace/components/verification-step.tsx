import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Saver } from '@/lib/api/saver';
import { useSession } from '@/lib/session';
import { websitesQuery } from '@/lib/api/shared-queries';
import { listingQuery } from '../api/listings';
import { verifyListing } from '../api/selling';
import type { FieldsProps } from './sell-fields';
import type { ListingFields, ListingInFull } from '../lib/types';
import { VerifiedCard } from './verified-card';

interface Props extends FieldsProps {
  readonly listing: ListingInFull;
  readonly saver: Saver<ListingFields>;
}

const ASKED_MS = 3000;

/** Selects the seller's tracked website; the numbers are calculated from its tracking data. */
export function VerificationStep({ draft, faults, onChange, listing, saver }: Props) {
  const session = useSession();
  const websites = useQuery(websitesQuery);
  const current = useQuery({
    ...listingQuery(listing.id, session?.user.id),
    refetchInterval: (query) => (query.state.data?.verificationNote === 'asked' ? ASKED_MS : false),
  });
  const verify = useCommand(verifyListing(listing.id));
  return (
    <div className="flex flex-col gap-5">
      {websites.error && <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />}
      {websites.data?.length === 0 ? (
        <p className="max-w-2xl text-muted">
          None of your websites is tracked here. Without tracking, the listing shows “Pending” next to your numbers.{' '}
          <Link to="/account-settings" search={{ tab: 'websites' }} className="text-brand underline">
            Connect a website
          </Link>
        </p>
      ) : (
        <div className="flex flex-wrap items-end gap-3">
          <SelectField
            className="w-full max-w-sm"
            label="Tracked website"
            value={draft.websiteId}
            error={faults.websiteId}
            onChange={(event) => onChange({ websiteId: event.target.value })}
          >
            <option value="">None of mine</option>
            {websites.data?.map((website) => (
              <option key={website.id} value={website.id}>
                {website.domain}
              </option>
            ))}
          </SelectField>
          <Button disabled={draft.websiteId === ''} busy={verify.isPending} onClick={() => verify.mutate(saver.flush)}>
            <BadgeCheck aria-hidden className="size-4" />
            Verify my numbers
          </Button>
        </div>
      )}
      {current.data?.verificationNote === 'domain_not_proven' && (
        <p className="max-w-2xl text-muted">
          Connecting a website does not prove ownership. Add its domain under{' '}
          <Link to="/account-settings" search={{ tab: 'domains' }} className="text-brand underline">
            custom domains
          </Link>{' '}
          and set its TXT record. We verify the numbers as soon as the record is found; keep the record to keep the
          badge.
        </p>
      )}
      {verify.error && <ErrorBox error={verify.error} />}
      {current.data && <VerifiedCard listing={current.data} title="What buyers will see" />}
    </div>
  );
}
