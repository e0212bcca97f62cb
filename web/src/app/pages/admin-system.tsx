import { SystemPanel } from '@/features/operations/system-panel';

export const AdminSystemPage = () => <SystemPanel />;
