import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { startSession } from '@/lib/session';
import { providerLabel } from '@/lib/session/sign-in-providers';
import { CODE_NEEDED, registeredOf, registration } from './sign-in';

export type NewHere = components['schemas']['InviteRequired'];

/** Result of a sign-in with a provider. */
export type Exchanged =
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'code-needed'; readonly ticket: string }
  | { readonly kind: 'new-here'; readonly person: NewHere }
  | { readonly kind: 'linked'; readonly provider: string };

/** The code works once, for a minute, and only in the browser that started the sign-in, which has its cookie. */
export const exchange = command({
  send: async (code: string): Promise<Exchanged> => {
    const result = await body(api.POST('/api/platform/auth/exchange', { body: { code } }));
    if ('inviteNeeded' in result) return { kind: 'new-here', person: result };
    if ('linked' in result) return { kind: 'linked', provider: result.provider };
    if (result.requires2FA) return { kind: 'code-needed', ticket: result.ticket };
    startSession(registeredOf(result).session);
    return { kind: 'signed-in' };
  },
  success: (result) => {
    if (result.kind === 'linked')
      return ['Sign-in linked', `You can now sign in with ${providerLabel(result.provider)}.`];
    return result.kind === 'code-needed' ? CODE_NEEDED : null;
  },
});

export interface ProvenRegistration {
  readonly email: string;
  readonly name: string;
  readonly company: string;
  readonly inviteCode: string;
}

export const registerProven = (ticket: string) =>
  registration(async (values: ProvenRegistration) =>
    registeredOf(await body(api.POST('/api/platform/auth/register', { body: { ticket, ...values } }))),
  );
