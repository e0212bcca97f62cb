import { AccountsPanel } from '@/features/accounts-admin/accounts-panel';

export const AdminAccountsPage = () => <AccountsPanel />;
