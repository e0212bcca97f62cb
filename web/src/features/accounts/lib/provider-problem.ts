import { providerLabel } from '@/lib/session/sign-in-providers';

/** The message for a provider's error code. */
export function providerProblem(reason: string, provider: string): string {
  const name = providerLabel(provider);
  switch (reason) {
    case 'unconfigured':
      return `Sign-in with ${name} is not set up on this installation.`;
    case 'cancelled':
      return `Sign-in with ${name} was canceled.`;
    case 'unavailable':
      return `${name} is not responding right now. Please try again in a moment.`;
    case 'busy':
      return 'Too many attempts. Please wait a moment and try again.';
    default:
      return `Sign-in with ${name} failed. Please try again.`;
  }
}
