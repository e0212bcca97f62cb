// What stands in the audit trail, in words.
const WORDS: Readonly<Record<string, string>> = {
  'account.register': 'Registration',
  'account.registered': 'Registered',
  'account.sign_in': 'Sign-in',
  'account.guessing_noticed': 'Password guessing noticed',
  'account.signed_in': 'Signed in',
  'account.signed_out': 'Signed out',
  'account.sessions_ended': 'Other sessions ended',
  'account.proof': 'Password or code asked again',
  'account.password_forgotten': 'Link to set a new password asked for',
  'account.password_changed': 'Password changed',
  'account.email_changed': 'Email changed',
  'account.two_factor': 'Set-up of two-factor authentication',
  'account.two_factor_enabled': 'Two-factor authentication set up',
  'account.two_factor_disabled': 'Two-factor authentication disabled',
  'account.recovery_codes_made': 'New recovery codes made',
  'account.recovery_code_used': 'Recovery code used',
  'account.roles_changed': 'Roles changed',
  'account.exported': 'Data exported',
  'website.sign_in': 'Sign-in to a website',
  'website.signed_out': 'Signed out of a website',
  'website.key_issued': 'Website key made',
  'outbox.listed': 'Outbox looked at',
  'outbox.read': 'Mail of the outbox read',
};

/** "partner.commission_changed" is "Partner commission changed" where nothing better is known. */
export function describeAction(action: string): string {
  const known = WORDS[action];
  if (known) return known;
  const text = action.replace(/[._]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
