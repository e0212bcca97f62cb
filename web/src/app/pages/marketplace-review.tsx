import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { isMissing } from '@/lib/api/errors';
import { useSession } from '@/lib/session';
import { joinReview, listingQuery } from '@/features/marketplace/api/listings';
import { Submitted } from '@/features/marketplace/components/review-drawer';
import { NotFound } from '../not-found';
import { Page } from './page';

/** The review of one listing by an invited member. The token of the link is in the hash, which no server gets. */
export function MarketplaceReviewPage() {
  const { id } = useParams({ from: '/member/marketplace/review/$id' });
  const token = useLocation({ select: (location) => location.hash });
  const session = useSession();
  const navigate = useNavigate();
  const listing = useQuery(listingQuery(id, session?.user.id));
  const join = useCommand(joinReview(id), { onSuccess: () => listing.refetch() });
  const missing = isMissing(listing.error);
  if (!listing.data?.isReviewer && !token && (listing.data || missing)) return <NotFound />;
  return (
    <Page title="Review a listing" subtitle="The seller invited you to check it before it goes online">
      {listing.data?.isReviewer ? (
        <Card title={listing.data.title} description="As the seller submitted it.">
          <Submitted
            listing={listing.data}
            by="reviewer"
            onDone={() => void navigate({ to: '/marketplace', search: {} })}
          />
        </Card>
      ) : listing.isPending ? (
        <Loading label="Loading listing" />
      ) : listing.error && !missing ? (
        <ErrorBox error={listing.error} prefix="Error loading the listing" onRetry={() => void listing.refetch()} />
      ) : (
        <Card
          title="Accept the invitation?"
          description="You can then read this one listing and approve or reject it. Your name and your decision are recorded in the audit trail."
          className="max-w-2xl"
        >
          <div className="flex flex-col items-start gap-3">
            {Boolean(join.error) && <ErrorBox error={join.error} />}
            <Button variant="primary" busy={join.isPending} onClick={() => join.mutate(token)}>
              Review this listing
            </Button>
          </div>
        </Card>
      )}
    </Page>
  );
}
