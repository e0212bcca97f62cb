import { useAddress } from '@/app/use-address';
import { Card } from '@/components/ui/card';
import { Tabs } from '@/components/ui/tabs';
import { textOf } from '@/lib/url/search';
import { DealSettings } from '@/features/marketplace/components/deal-settings';
import { Disputes, EscrowCalls, FlaggedQuestions } from '@/features/marketplace/components/moderation';
import { Review, statusOf } from '@/features/marketplace/components/review';

const TABS = ['review', 'disputes', 'questions', 'escrow', 'settings'] as const;

/** Marketplace administration. */
export function AdminListingsPage() {
  const [search, change] = useAddress();
  const tab = TABS.find((item) => item === textOf(search['tab'])) ?? 'review';
  const go = ({ tab: to, status, ...rest }: Record<string, string | null>) =>
    change({
      ...rest,
      ...(to === undefined ? {} : { tab: to === 'review' ? null : to }),
      ...(status === undefined ? {} : { status: status === 'in_review' ? null : status }),
    });
  return (
    <Card title="Marketplace" description="Review listings and resolve disputes.">
      <Tabs
        label="Marketplace"
        value={tab}
        onChange={(id) => go({ tab: id, open: null })}
        tabs={[
          {
            id: 'review',
            label: 'Listings',
            content: (
              <Review
                status={statusOf(textOf(search['status']))}
                search={textOf(search['search']) ?? ''}
                open={textOf(search['open']) ?? null}
                onChange={go}
              />
            ),
          },
          { id: 'disputes', label: 'Disputes', content: <Disputes /> },
          { id: 'questions', label: 'Questions', content: <FlaggedQuestions /> },
          { id: 'escrow', label: 'Escrow provider', content: <EscrowCalls /> },
          { id: 'settings', label: 'Settings', content: <DealSettings /> },
        ]}
      />
    </Card>
  );
}
