// What a person says about a file of costs, as the mapping that the server keeps. The mapping is always sent whole.
import type { CostImport, CostMapping } from '../api/imports';

/** How the file is read, as the texts of a form. A type: an interface lacks the index that a form's values have. */
export type MappingValues = {
  readonly dateOrder: string;
  readonly decimalMark: string;
  readonly source: string;
  /** Field to header; empty: the file has no column for it. */
  readonly columns: Readonly<Record<string, string>>;
};

export function valuesOf({ layout, mapping }: Pick<CostImport, 'layout' | 'mapping'>): MappingValues {
  const text = (of: Readonly<Record<string, unknown>>, name: string) =>
    typeof of[name] === 'string' ? (of[name] as string) : '';
  return {
    dateOrder: text(layout ?? {}, 'date_order'),
    decimalMark: text(layout ?? {}, 'decimal_mark'),
    source: text(mapping, 'source'),
    columns: (layout?.['columns'] ?? {}) as Readonly<Record<string, string>>,
  };
}

/** The mapping with what differs from how the file is read now. What is emptied is detected again. */
export function mappingWith(mapping: CostImport['mapping'], before: MappingValues, after: MappingValues): CostMapping {
  const held = mapping as CostMapping;
  const columns = Object.entries(after.columns).filter(([field, header]) => header !== (before.columns[field] ?? ''));
  return {
    ...held,
    ...(after.dateOrder !== before.dateOrder
      ? { date_order: (after.dateOrder || null) as CostMapping['date_order'] }
      : {}),
    ...(after.decimalMark !== before.decimalMark
      ? { decimal_mark: (after.decimalMark || null) as CostMapping['decimal_mark'] }
      : {}),
    ...(after.source !== before.source ? { source: after.source || null } : {}),
    ...(columns.length > 0 ? { columns: { ...held.columns, ...Object.fromEntries(columns) } } : {}),
  };
}
