// Web addresses as people type them.

/** An address as it is typed, https where no scheme is. */
export function addressFrom(text: string): string {
  const typed = text.trim();
  return typed === '' || /^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed : `https://${typed}`;
}

/** The host of an address as it is typed; empty while it is none. */
export function hostOf(address: string): string {
  const whole = addressFrom(address);
  return URL.canParse(whole) ? new URL(whole).hostname : '';
}
