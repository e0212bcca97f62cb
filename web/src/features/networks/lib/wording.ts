// What the parts of a mapping are called.
export const DATE_ORDERS: Readonly<Record<string, string>> = {
  dmy: 'Day, month, year',
  mdy: 'Month, day, year',
  ymd: 'Year, month, day',
};

export const DECIMAL_MARKS: Readonly<Record<string, string>> = {
  '.': 'Point: 1,234.50',
  ',': 'Comma: 1.234,50',
};

export const STATUSES: Readonly<Record<string, string>> = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  reversed: 'Reversed',
  paid: 'Paid',
};

/** A choice of a question about this part of the mapping. */
export function choiceLabel(field: string, choice: string): string {
  if (field === 'date_order') return DATE_ORDERS[choice] ?? choice;
  if (field === 'decimal_mark') return DECIMAL_MARKS[choice] ?? choice;
  if (field.startsWith('status:')) return STATUSES[choice] ?? choice;
  return choice;
}

/** The columns that are always offered, the necessary ones first. */
const COLUMNS: Readonly<Record<string, string>> = {
  txid: 'Transaction ID',
  occurred_at: 'Date of the sale',
  commission: 'Commission',
  sale: 'Sale amount',
  currency: 'Currency',
  status: 'Status',
  click_ref: 'Click ID or sub ID',
  partner_name: 'Advertiser',
  partner_ref: 'Advertiser ID',
  order_ref: 'Order number',
  product: 'Product',
  updated_at: 'Last change',
};

/** Fields in the order in which they are shown: the usual ones, then what else the file has. */
export const fieldsOf = (columns: Readonly<Record<string, string>>): readonly string[] => [
  ...Object.keys(COLUMNS),
  ...Object.keys(columns).filter((field) => !(field in COLUMNS)),
];

export function fieldLabel(field: string): string {
  const words = field.replaceAll('_', ' ');
  return COLUMNS[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
