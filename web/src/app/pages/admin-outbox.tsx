import { OutboxPanel } from '@/features/accounts-admin/outbox-panel';

export const AdminOutboxPage = () => <OutboxPanel />;
