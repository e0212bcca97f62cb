/** Marks a field that the server rejected; the message, which a toast shows, says why. */
export const marked = (
  refused: Readonly<Record<string, string>>,
  ...names: readonly string[]
): { readonly 'aria-invalid'?: true } => (names.some((name) => name in refused) ? { 'aria-invalid': true } : {});
