import type { ReconciliationDifference } from '../api/reconciliation';

/** Why a month does not agree, as a label. */
export const REASONS: Readonly<Record<ReconciliationDifference['reason'], string>> = {
  not_tracked: 'Not tracked',
  not_reported: 'Not reported',
  declined: 'Declined',
  amount: 'Other amount',
  currency: 'Other currency',
  rate: 'Other exchange rate',
  month: 'Other month',
  paid_short: 'Paid short',
  paid_over: 'Overpaid',
};
