import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Website } from '@/lib/api/types';
import { textOf } from '@/lib/url/search';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { balancesQuery, savePayout, voidPayout, type Payout } from '@/features/conversions/api/payouts';
import { AccountantCard } from '@/features/conversions/components/accountant-card';
import { BalancesCard } from '@/features/conversions/components/balances-card';
import { PayoutsCard } from '@/features/conversions/components/payouts-card';
import { toast, toastError } from '@/stores/toasts';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const PayoutDialog = opened(() =>
  import('@/features/conversions/components/payout-dialog').then((module) => module.PayoutDialog),
);
const VoidDialog = opened(() =>
  import('@/features/conversions/components/void-dialog').then((module) => module.VoidDialog),
);

export function PayoutsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/payouts' });
  const websites = useQuery(websitesQuery);
  const wanted = textOf(search['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Payouts"
      subtitle="What partners owe you, what they paid, and what is overdue"
      tools={
        website ? (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) => void navigate({ to: '/payouts', search: { website: event.target.value } })}
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Link
              to="/payouts/statements"
              search={{ website: website.id }}
              className={buttonClass({ variant: 'ghost' })}
            >
              Statements
            </Link>
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error ? (
        <ErrorBox error={websites.error} prefix="Error loading payouts" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <Payouts key={website.id} website={website} websites={websites.data} />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}

type Asked =
  | { readonly what: 'pay'; readonly partnerId: string | null }
  | { readonly what: 'correct' | 'void'; readonly payout: Payout };

function Payouts({ website, websites }: { readonly website: Website; readonly websites: readonly Website[] }) {
  const balances = useQuery(balancesQuery(website.id));
  const partners = useQuery(partnersQuery);
  const save = useCommand(savePayout(website.id), {
    onSuccess: (refused, { correction }) => {
      const saved = correction ? 'Payout corrected' : 'Payout recorded';
      if (refused) toastError(`${saved}, but not its file`, refused);
      else toast(saved);
    },
  });
  const voiding = useCommand(voidPayout);
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  // A partner that is gone may still pay what it owes.
  const gone = (balances.data?.partners ?? [])
    .filter((one) => !partners.data?.some((partner) => partner.id === one.partnerId))
    .map((one) => ({ id: one.partnerId, name: one.partnerName }));
  // All cards at once: the first is as long as partners owe, and moves those below it.
  if (balances.isPending)
    return (
      <div role="status" aria-label="Loading balances">
        <Skeleton className="h-dvh" />
      </div>
    );
  return (
    <div className="flex flex-col gap-4 sm:gap-5">
      <BalancesCard query={balances} onPay={(partnerId) => setAsked({ what: 'pay', partnerId })} />
      <PayoutsCard
        websiteId={website.id}
        onRecord={() => setAsked({ what: 'pay', partnerId: null })}
        onCorrect={(payout) => setAsked({ what: 'correct', payout })}
        onVoid={(payout) => setAsked({ what: 'void', payout })}
      />
      <AccountantCard websites={websites} website={website} />
      {(asked?.what === 'pay' || asked?.what === 'correct') && (
        <PayoutDialog
          website={website}
          partners={[...(partners.data ?? []), ...gone]}
          balances={balances.data?.partners ?? []}
          partnerId={asked.what === 'pay' ? asked.partnerId : null}
          payout={asked.what === 'correct' ? asked.payout : null}
          onClose={close}
          onSave={(saved) => save.mutate(saved)}
        />
      )}
      {asked?.what === 'void' && (
        <VoidDialog
          payout={asked.payout}
          onClose={close}
          onVoid={(reason) => voiding.mutate({ id: asked.payout.id, reason })}
        />
      )}
    </div>
  );
}
