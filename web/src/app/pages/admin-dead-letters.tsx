import { useNavigate, useSearch } from '@tanstack/react-router';
import { textOf } from '@/lib/search';
import { DeadLettersPanel } from '@/features/operations/components/dead-letters-panel';

export function AdminDeadLettersPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/dead-letters' });
  const projection = textOf(search['projection']);
  const reason = textOf(search['reason']);
  return (
    <DeadLettersPanel
      choice={projection && reason ? { projection, reason } : null}
      onChoose={(choice) =>
        void navigate({ to: '/admin/dead-letters', search: choice ? { ...choice } : {}, resetScroll: false })
      }
    />
  );
}
