const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

/** "IS" is "Iceland"; "ZZ" and what no list knows stay as they are. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) && code !== 'ZZ' ? (names.of(code) ?? code) : code);
