import { formatIn } from '@/lib/dates';

export const monthName = (month: string): string => formatIn(`${month}-01`, 'UTC', { month: 'short', year: 'numeric' });
