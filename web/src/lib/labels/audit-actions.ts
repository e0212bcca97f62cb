// Labels of audit-trail actions.
const WORDS: Readonly<Record<string, string>> = {
  'account.register': 'Registration',
  'account.registered': 'Registered',
  'account.sign_in': 'Sign-in',
  'account.guessing_noticed': 'Password guessing detected',
  'account.signed_in': 'Signed in',
  'account.signed_out': 'Signed out',
  'account.sessions_ended': 'Other sessions signed out',
  'account.proof': 'Identity confirmed again',
  'account.password_forgotten': 'Password reset requested',
  'account.password_changed': 'Password changed',
  'account.email_changed': 'Email changed',
  'account.two_factor': 'Set-up of two-factor authentication',
  'account.two_factor_enabled': 'Two-factor authentication set up',
  'account.two_factor_disabled': 'Two-factor authentication disabled',
  'account.recovery_codes_made': 'Recovery codes regenerated',
  'account.recovery_code_used': 'Recovery code used',
  'account.roles_changed': 'Roles changed',
  'account.exported': 'Data exported',
  'visitor_data.found': 'Data of a visitor looked up',
  'visitor_data.exported': 'Data of a visitor exported',
  'visitor.forgotten': 'Data of a visitor erased',
  'access_token.issued': 'Access token created',
  'access_token.revoked': 'Access token revoked',
  'website.sign_in': 'Website sign-in',
  'website.signed_out': 'Signed out of a website',
  'website.exported': 'Data of a website exported',
  'website.key_issued': 'API key created',
  'website.key_revealed': 'Postback token viewed',
  'outbox.listed': 'Outbox viewed',
  'outbox.read': 'Email viewed',
};

/** "partner.commission_changed" is "Partner commission changed" where nothing better is known. */
export function describeAction(action: string): string {
  const known = WORDS[action];
  if (known) return known;
  const text = action.replace(/[._]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
