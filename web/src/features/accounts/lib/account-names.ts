import type { AdminAccount } from '@/lib/api/types';

export const nameOf = (account: AdminAccount): string => account.name || account.email || 'Erased account';
