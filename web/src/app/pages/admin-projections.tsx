import { useNavigate, useSearch } from '@tanstack/react-router';
import { textOf } from '@/lib/search';
import { ProjectionsPanel } from '@/features/operations/components/projections-panel';
import { SubscriptionsPanel } from '@/features/operations/components/subscriptions-panel';

export function AdminProjectionsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/projections' });
  return (
    <div className="flex flex-col gap-5">
      <ProjectionsPanel
        selected={textOf(search['name']) ?? null}
        onSelect={(name) =>
          void navigate({ to: '/admin/projections', search: name ? { name } : {}, resetScroll: false })
        }
      />
      <SubscriptionsPanel />
    </div>
  );
}
