import { opened } from '@/components/data/opened';

export const ExchangeRateDialog = opened(() =>
  import('./exchange-rate-dialog').then((module) => module.ExchangeRateDialog),
);
export const ReasonDialog = opened(() => import('./reason-dialog').then((module) => module.ReasonDialog));
