/** "12.5" → 12.5; null for what is not a percentage in steps of 0.01. */
export function parsePercent(text: string): number | null {
  const match = /^\d{1,3}(?:[.,]\d{1,2})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : null;
  return match !== null && match <= 100 ? match : null;
}
