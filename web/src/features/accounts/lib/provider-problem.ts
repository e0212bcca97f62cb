import { providerLabel } from '@/lib/sign-in-providers';

/** Why a provider sent somebody back, as a sentence. */
export function providerProblem(reason: string, provider: string): string {
  const name = providerLabel(provider);
  switch (reason) {
    case 'unconfigured':
      return `Sign-in with ${name} is not set up on this installation.`;
    case 'cancelled':
      return `Sign-in with ${name} was cancelled.`;
    case 'unavailable':
      return `${name} does not answer right now. Please try again in a moment.`;
    case 'busy':
      return 'Too many attempts. Please wait a moment and try again.';
    default:
      return `Sign-in with ${name} did not succeed. Please try again.`;
  }
}
