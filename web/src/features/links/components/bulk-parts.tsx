import { opened } from '@/components/data/opened';

export const BulkBar = opened(() => import('./bulk-bar').then((module) => module.BulkBar));
export const BulkProgress = opened(() => import('./bulk-progress').then((module) => module.BulkProgress));
