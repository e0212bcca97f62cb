// How many decimals a currency has, as the server counts minor units (ISO 4217). Browsers know other numbers for sixteen
// currencies (none for HUF or IDR), by which amounts in minor units were shown a hundred times too large.
const EXCEPTIONS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const DIGITS = new Map(
  Object.entries(EXCEPTIONS).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

export const fractionDigits = (currency: string): number => DIGITS.get(currency) ?? 2;
