import { useNavigate, useSearch } from '@tanstack/react-router';
import { textOf } from '@/lib/search';
import { ProjectionsPanel } from '@/features/operations/projections-panel';

export function AdminProjectionsPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/projections' });
  return <ProjectionsPanel selected={textOf(search['name']) ?? null} onSelect={(name) => void navigate({ to: '/admin/projections', search: name ? { name } : {}, resetScroll: false })} />;
}
