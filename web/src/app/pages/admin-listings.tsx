import { useNavigate, useSearch } from '@tanstack/react-router';
import { Card } from '@/components/ui/card';
import { Tabs } from '@/components/ui/tabs';
import { textOf } from '@/lib/search';
import { Disputes, EscrowCalls, FlaggedQuestions } from '@/features/marketplace/components/moderation';
import { Review, statusOf } from '@/features/marketplace/components/review';

const TABS = ['review', 'disputes', 'questions', 'escrow'] as const;

/** Marketplace administration. */
export function AdminListingsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/listings' });
  const tab = TABS.find((item) => item === textOf(search['tab'])) ?? 'review';
  const status = statusOf(textOf(search['status']));
  const go = (part: Record<string, string | null>) => {
    const next = { tab, status, open: textOf(search['open']) ?? null, ...part };
    const { open } = next;
    void navigate({
      to: '/admin/listings',
      search: {
        ...(next.tab === 'review' ? {} : { tab: next.tab }),
        ...(next.status === 'in_review' ? {} : { status: next.status }),
        ...(open ? { open } : {}),
      },
      resetScroll: false,
    });
  };
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
            content: <Review status={status} open={textOf(search['open']) ?? null} onChange={go} />,
          },
          { id: 'disputes', label: 'Disputes', content: <Disputes /> },
          { id: 'questions', label: 'Questions', content: <FlaggedQuestions /> },
          { id: 'escrow', label: 'Escrow provider', content: <EscrowCalls /> },
        ]}
      />
    </Card>
  );
}
