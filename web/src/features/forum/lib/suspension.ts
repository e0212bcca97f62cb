export const SPANS = [
  { label: '1 day', days: 1 },
  { label: '3 days', days: 3 },
  { label: '7 days', days: 7 },
  { label: '30 days', days: 30 },
  { label: 'Until a moderator lifts it', days: null },
] as const;

/** The server's word for "until a moderator lifts it". */
export const isEndless = (until: string): boolean => until.startsWith('9999');

export const endOf = (days: number | null, now: number): string | null =>
  days === null ? null : new Date(now + days * 86_400_000).toISOString();
