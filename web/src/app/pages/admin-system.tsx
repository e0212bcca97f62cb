import { SystemPanel } from '@/features/operations/components/system-panel';

export const AdminSystemPage = () => <SystemPanel />;
