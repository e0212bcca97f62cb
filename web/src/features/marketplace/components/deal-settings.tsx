import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { dealTermsQuery } from '../api/deal-terms';
import { allowDirectDeals } from '../api/moderation';
import { Ask } from './action-confirmation';

/** The switch of deals without escrow, for admins. */
export function DealSettings() {
  const terms = useQuery(dealTermsQuery);
  const [asking, setAsking] = useState(false);
  const allowed = terms.data?.directDeals ?? false;
  const set = useCommand(allowDirectDeals, { onSuccess: () => setAsking(false) });
  if (terms.error && !terms.data)
    return <ErrorBox error={terms.error} prefix="Error loading the settings" onRetry={() => void terms.refetch()} />;
  if (!terms.data) return <Skeleton className="h-24" />;
  const hasProvider = terms.data.escrowKind === 'real' || terms.data.escrowKind === 'trial';
  return (
    <div className="flex max-w-2xl flex-col items-start gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">Deals without escrow</h3>
        <Badge tone={allowed ? 'warn' : 'neutral'}>{allowed ? 'Allowed' : 'Off'}</Badge>
      </div>
      <p>
        Buyer and seller arrange payment and transfer themselves, and each confirms the handover. The platform holds and
        protects no money. In a dispute you record how the deal ended; you cannot move money.
      </p>
      <p className="text-muted">
        {hasProvider
          ? 'An escrow provider is configured, so every new deal uses it. This setting applies only without one.'
          : 'No escrow provider is configured. Without direct deals, offers can be made and discussed, but not accepted.'}
      </p>
      <Button variant={allowed ? 'outline' : 'primary'} onClick={() => setAsking(true)}>
        {allowed ? 'End direct deals' : 'Allow direct deals'}
      </Button>
      {asking && (
        <Ask
          title={allowed ? 'End direct deals?' : 'Allow direct deals?'}
          description={
            allowed
              ? 'No further offer can be accepted without escrow. Deals already agreed continue.'
              : 'Members can then agree on deals whose money nobody protects. They see this before they agree. The change is in the audit trail.'
          }
          action={allowed ? 'End direct deals' : 'Allow direct deals'}
          danger={!allowed}
          doing={set}
          onConfirm={() => set.mutate(!allowed)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
