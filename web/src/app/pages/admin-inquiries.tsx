import { useAddress } from '@/app/use-address';
import { isStatus } from '@/features/leads/api/admin';
import { InquiriesPanel } from '@/features/leads/components/inquiries-panel';
import { textOf } from '@/lib/url/search';

export function AdminInquiriesPage() {
  const [search, go] = useAddress();
  const wanted = textOf(search['status']);
  return (
    <InquiriesPanel
      status={isStatus(wanted) ? wanted : undefined}
      search={textOf(search['search']) ?? ''}
      selected={textOf(search['inquiry'])}
      onSearch={(text) => go({ search: text })}
      onStatus={(status) => go({ status: status ?? null, inquiry: null })}
      onSelect={(id) => go({ inquiry: id ?? null })}
    />
  );
}
