import { AccountsPanel } from '@/features/accounts/components/accounts-panel';

export const AdminAccountsPage = () => <AccountsPanel />;
