import { opened } from '@/components/data/opened';

export const DeleteDialog = opened(() => import('./delete-dialog').then((module) => module.DeleteDialog));
export const FlagDialog = opened(() => import('./flag-dialog').then((module) => module.FlagDialog));
export const HistoryDialog = opened(() => import('./history-dialog').then((module) => module.HistoryDialog));
export const ModerateDialog = opened(() => import('./moderate-dialog').then((module) => module.ModerateDialog));
export const SuspendDialog = opened(() => import('./suspend-dialog').then((module) => module.SuspendDialog));
