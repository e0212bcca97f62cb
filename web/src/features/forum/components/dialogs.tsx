import { opened } from '@/components/data/opened';

export const SuspendDialog = opened(() => import('./suspend-dialog').then((module) => module.SuspendDialog));
