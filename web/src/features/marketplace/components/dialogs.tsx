import { opened } from '@/components/data/opened';

export const CloseDialog = opened(() => import('./close-dialog').then((module) => module.CloseDialog));
export const DecideDialog = opened(() => import('./decide-dialog').then((module) => module.DecideDialog));
export const DisputeDialog = opened(() => import('./dispute-dialog').then((module) => module.DisputeDialog));
export const FlagDialog = opened(() => import('./flag-dialog').then((module) => module.FlagDialog));
export const HideDialog = opened(() => import('./hide-dialog').then((module) => module.HideDialog));
export const OfferDialog = opened(() => import('./offer-dialog').then((module) => module.OfferDialog));
export const ReviewDialog = opened(() => import('./review-dialog').then((module) => module.ReviewDialog));
