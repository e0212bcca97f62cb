// The currency in which an admin reads the platform's totals, kept in this browser.
const PLACE = 'adminCurrency';
const USUAL = ['USD', 'EUR', 'GBP'];

/** The one chosen last; null: none. */
export function keptCurrency(): string | null {
  try {
    const kept = localStorage.getItem(PLACE);
    return kept && /^[A-Z]{3}$/.test(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function keepCurrency(code: string): void {
  try {
    localStorage.setItem(PLACE, code);
  } catch {
    // Storage is blocked: the choice then lasts until the page is closed.
  }
}

interface Totals {
  readonly currency: string;
  readonly rates: readonly { readonly currency: string }[];
  readonly notConverted: readonly { readonly currency: string }[];
}

/** Those that a website earns in, and the usual ones. */
export const choicesOf = ({ currency, rates, notConverted }: Totals): readonly string[] =>
  [...new Set([currency, ...[...rates, ...notConverted].map((one) => one.currency), ...USUAL])].sort();
