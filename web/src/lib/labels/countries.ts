/** The country of visitors without a known location. */
export const UNKNOWN_COUNTRY = 'ZZ';

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

/** "IS" is "Iceland", "ZZ" is "Unknown"; what is no code of a country stays as it is. */
export function countryName(code: string): string {
  if (code === UNKNOWN_COUNTRY || code === '') return 'Unknown';
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
