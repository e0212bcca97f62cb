// What a person says about a file, as the mapping that the server keeps: answers to its questions, choices for rejected rows,
// corrections of what was detected. The mapping is always sent whole.
import type { ReportMapping } from '../api/imports';

/** Of a question: the part of the mapping that answers it, and what was chosen. */
export type Answers = Readonly<Record<string, string>>;

const STATUS = 'status:';
const COLUMN = 'columns.';
/** The file is a report of another network: no mapping answers that. */
export const OTHER_NETWORK = 'other_network';

type Status = NonNullable<ReportMapping['statuses']>[string];

export function withAnswers(mapping: ReportMapping, answers: Answers): ReportMapping {
  return Object.entries(answers).reduce<ReportMapping>((whole, [field, choice]) => {
    if (field.startsWith(COLUMN))
      return { ...whole, columns: { ...whole.columns, [field.slice(COLUMN.length)]: choice } };
    if (field.startsWith(STATUS))
      return { ...whole, statuses: { ...whole.statuses, [field.slice(STATUS.length)]: choice as Status } };
    return { ...whole, [field]: choice };
  }, mapping);
}

/** What the rejected rows name that a choice would make known. */
export interface UnknownWords {
  readonly partners: readonly string[];
  readonly statuses: readonly string[];
  /** Rows that name no advertiser at all. */
  readonly isWithoutAdvertiser: boolean;
}

interface Rejected {
  readonly code: string;
  readonly message: string;
}

export function unknownWords(rejected: readonly Rejected[]): UnknownWords {
  const named = (code: string, pattern: RegExp) => [
    ...new Set(rejected.flatMap((line) => (line.code === code ? (pattern.exec(line.message)?.[1] ?? []) : []))),
  ];
  const partners = named('unknown_partner', /^Which partner is “(.*)”\?/);
  return {
    partners,
    statuses: named('unknown_status', /^The status "(.*)" is not known\./),
    isWithoutAdvertiser: rejected.some(
      (line) => line.code === 'unknown_partner' && !/^Which partner is “/.test(line.message),
    ),
  };
}

export const withWords = (
  mapping: ReportMapping,
  partners: Readonly<Record<string, string>>,
  statuses: Readonly<Record<string, string>>,
): ReportMapping => ({
  ...mapping,
  ...(Object.keys(partners).length > 0 ? { partners: { ...mapping.partners, ...partners } } : {}),
  ...(Object.keys(statuses).length > 0
    ? { statuses: { ...mapping.statuses, ...(statuses as Readonly<Record<string, Status>>) } }
    : {}),
});

/** How the file is read, as the texts of a form. A type: an interface lacks the index that a form's values have. */
export type LayoutValues = {
  readonly encoding: string;
  readonly separator: string;
  readonly headerLine: string;
  readonly sheet: string;
  readonly dateOrder: string;
  readonly decimalMark: string;
  readonly timezone: string;
  readonly currency: string;
  /** Field to header; empty: the file has no column for it. */
  readonly columns: Readonly<Record<string, string>>;
};

type Layout = Readonly<Record<string, unknown>>;

export function valuesOf(layout: Layout): LayoutValues {
  const text = (name: string) => (typeof layout[name] === 'string' ? layout[name] : '');
  return {
    encoding: text('encoding'),
    separator: SEPARATORS.find(({ mark }) => mark === text('separator'))?.id ?? text('separator'),
    headerLine:
      typeof layout['header_line'] === 'number' && layout['header_line'] > 0 ? `${layout['header_line']}` : '',
    sheet: text('sheet'),
    dateOrder: text('date_order'),
    decimalMark: text('decimal_mark'),
    timezone: text('timezone'),
    currency: text('currency'),
    columns: (layout['columns'] ?? {}) as Readonly<Record<string, string>>,
  };
}

/** Of a form, whose texts are trimmed: a tab would not remain. */
export const SEPARATORS = [
  { id: 'comma', mark: ',', label: 'Comma' },
  { id: 'semicolon', mark: ';', label: 'Semicolon' },
  { id: 'tab', mark: '\t', label: 'Tab' },
  { id: 'pipe', mark: '|', label: 'Vertical bar' },
] as const;

/** The mapping with what differs from how the file is read now. What is emptied is detected again; without a time zone, times
 *  are those of the website. */
export function withCorrections(mapping: ReportMapping, before: LayoutValues, after: LayoutValues): ReportMapping {
  const changed = (name: keyof LayoutValues) => after[name] !== before[name];
  const columns = Object.entries(after.columns).filter(([field, header]) => header !== (before.columns[field] ?? ''));
  const separator = SEPARATORS.find(({ id }) => id === after.separator)?.mark ?? after.separator;
  return {
    ...mapping,
    ...(changed('encoding') ? { encoding: after.encoding || null } : {}),
    ...(changed('separator') ? { separator: separator || null } : {}),
    ...(changed('headerLine') ? { header_line: Number(after.headerLine) || null } : {}),
    ...(changed('sheet') ? { sheet: after.sheet || null } : {}),
    ...(changed('dateOrder') ? { date_order: (after.dateOrder || null) as ReportMapping['date_order'] } : {}),
    ...(changed('decimalMark') ? { decimal_mark: (after.decimalMark || null) as ReportMapping['decimal_mark'] } : {}),
    ...(changed('timezone') ? { timezone: after.timezone } : {}),
    ...(changed('currency') ? { currency: after.currency || null } : {}),
    ...(columns.length > 0 ? { columns: { ...mapping.columns, ...Object.fromEntries(columns) } } : {}),
  };
}
