import { useNavigate, useSearch } from '@tanstack/react-router';
import { isState } from '@/features/leads/api/admin';
import { EarlyAccessPanel } from '@/features/leads/components/early-access-panel';
import { SubscribersPanel } from '@/features/leads/components/subscribers-panel';
import { textOf } from '@/lib/search';

export function AdminSubscribersPage() {
  const navigate = useNavigate();
  const wanted = textOf(useSearch({ from: '/member/admin/subscribers' })['state']);
  return (
    <div className="flex flex-col gap-6">
      <EarlyAccessPanel />
      <SubscribersPanel
        state={isState(wanted) ? wanted : undefined}
        onState={(state) =>
          void navigate({ to: '/admin/subscribers', search: state ? { state } : {}, resetScroll: false })
        }
      />
    </div>
  );
}
