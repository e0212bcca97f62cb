import { AuditPanel } from '@/features/accounts-admin/audit-panel';

export const AdminAuditTrailPage = () => <AuditPanel />;
