import { OutboxPanel } from '@/features/operations/components/outbox-panel';

export const AdminOutboxPage = () => <OutboxPanel />;
