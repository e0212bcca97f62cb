import { AuditPanel } from '@/features/operations/components/audit-panel';

export const AdminAuditTrailPage = () => <AuditPanel />;
