import { useAddress } from '@/app/use-address';
import { MAIL_STATES } from '@/features/operations/api/outbox';
import { OutboxPanel } from '@/features/operations/components/outbox-panel';
import { textOf } from '@/lib/url/search';

export function AdminOutboxPage() {
  const [search, go] = useAddress();
  return (
    <OutboxPanel
      filter={{
        search: textOf(search['search']) ?? '',
        state: MAIL_STATES.find((state) => state === search['state']) ?? '',
      }}
      onFilter={(filter) => go({ ...filter })}
    />
  );
}
