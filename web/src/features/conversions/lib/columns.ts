// Which columns of the list are shown, remembered in this browser.
import { useState } from 'react';

export const COLUMNS = [
  'date',
  'txid',
  'partner',
  'link',
  'country',
  'device',
  'source',
  'subs',
  'coupon',
  'customer',
  'click',
  'reported',
  'amount',
  'commission',
  'status',
  'next',
] as const;
export type ColumnId = (typeof COLUMNS)[number];

export const COLUMN_LABELS: Record<ColumnId, string> = {
  date: 'Date',
  txid: 'Transaction',
  partner: 'Partner',
  link: 'Link',
  country: 'Country',
  device: 'Device',
  source: 'Source',
  subs: 'Sub-IDs',
  coupon: 'Coupon',
  customer: 'Customer',
  click: 'Click ID',
  reported: 'Reported by',
  amount: 'Sale',
  commission: 'Commission',
  status: 'Status',
  next: 'Next step',
};
/** Without these the list would not say what is decided. */
export const FIXED: readonly ColumnId[] = ['txid', 'commission', 'status'];
export const SHOWN: readonly ColumnId[] = ['date', 'txid', 'partner', 'amount', 'commission', 'status', 'next'];
const PLACE = 'conversions.columns';

export function useColumns() {
  const [shown, setShown] = useState<readonly ColumnId[]>(read);
  const toggle = (id: ColumnId) => save(shown.includes(id) ? shown.filter((item) => item !== id) : [...shown, id]);
  const save = (chosen: readonly ColumnId[]) => {
    const ordered = COLUMNS.filter((id) => FIXED.includes(id) || chosen.includes(id));
    setShown(ordered);
    try {
      localStorage.setItem(PLACE, JSON.stringify(ordered));
    } catch {
      // Storage is blocked: the choice then lasts until the page is closed.
    }
  };
  return { shown, toggle, reset: () => save(SHOWN) };
}

function read(): readonly ColumnId[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? 'null');
    if (Array.isArray(kept)) return COLUMNS.filter((id) => FIXED.includes(id) || kept.includes(id));
  } catch {
    // Blocked or broken storage: the default.
  }
  return SHOWN;
}
