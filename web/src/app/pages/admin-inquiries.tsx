import { useNavigate, useSearch } from '@tanstack/react-router';
import { isStatus } from '@/features/leads/api/admin';
import { InquiriesPanel } from '@/features/leads/components/inquiries-panel';
import { textOf } from '@/lib/search';

export function AdminInquiriesPage() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/member/admin/inquiries' });
  const wanted = textOf(search['status']);
  const status = isStatus(wanted) ? wanted : undefined;
  const show = (of: string | undefined, inquiry: string | undefined) =>
    void navigate({
      to: '/admin/inquiries',
      search: { ...(of ? { status: of } : {}), ...(inquiry ? { inquiry } : {}) },
      resetScroll: false,
    });
  return (
    <InquiriesPanel
      status={status}
      selected={textOf(search['inquiry'])}
      onStatus={(of) => show(of, undefined)}
      onSelect={(id) => show(status, id)}
    />
  );
}
