import { asSignIn, type Factor } from '@/components/security/factor';
import type { FactorToSetUp } from '@/components/security/factor-set-up';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { forgetDrafts } from '@/lib/storage/drafts';
import { markFirstVisit } from '@/lib/session/first-visit';
import { endSession, getSession, startSession, type Session, type User } from '@/lib/session';
import { endWebsiteSession, startWebsiteSession } from '@/lib/session/website-session';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Registration extends Credentials {
  readonly name: string;
  readonly company: string;
  readonly inviteCode: string;
}

export interface WebsiteCredentials extends Credentials {
  readonly websiteApiKey: string;
}

/** Signed in, or a two-factor code is needed: then with a login challenge. */
export type SignIn = { readonly signedIn: true } | { readonly signedIn: false; readonly ticket: string };

/** A session that the browser does not keep yet, and the second factor to set up before it does. */
export interface Registered {
  readonly session: Session;
  readonly factor: FactorToSetUp | null;
}

const rejected = (error: Error) => ['Login Failed', messageOf(error, 'Invalid credentials')] as const;
export const CODE_NEEDED = ['2FA Required', 'Please enter your 2FA code to continue'] as const;

interface Attempt<C extends Credentials> {
  readonly credentials: C;
  readonly factor?: Factor | undefined;
  /** Of a second step. */
  readonly ticket?: string;
}

export const signIn = command({
  send: async ({ credentials, factor, ticket }: Attempt<Credentials>): Promise<SignIn> => {
    const result = await body(
      api.POST('/api/platform/login', {
        body: { ...credentials, ...(factor ? asSignIn(factor) : {}), ...(ticket ? { ticket } : {}) },
      }),
    );
    if (result.requires2FA) return { signedIn: false, ticket: result.ticket };
    startSession(sessionOf(result));
    return { signedIn: true };
  },
  success: ({ signedIn }) => (signedIn ? null : CODE_NEEDED),
  failure: rejected,
});

/** The second step where there are no credentials to send again: after a provider's. */
export const finishSignIn = (ticket: string) =>
  command({
    send: async (factor: Factor) =>
      startSession(
        sessionOf(await body(api.POST('/api/platform/login/second-factor', { body: { ticket, ...asSignIn(factor) } }))),
      ),
    failure: rejected,
  });

/** What follows from the account that now exists, of whichever registration. */
export const registration = <Values>(send: (values: Values) => Promise<Registered>) =>
  command({
    send,
    success: ({ factor }) => (factor ? ['Account Created', 'Please set up 2FA to secure your account'] : null),
    failure: (error) => ['Registration Failed', messageOf(error, 'Failed to create account')],
  });

export const register = registration(async (values: Registration) =>
  registeredOf(await body(api.POST('/api/platform/register', { body: values }))),
);

export function registeredOf(result: { token: string; user: User; qrCode?: string; secret?: string }): Registered {
  const factor = result.qrCode ? { qrCode: result.qrCode, secret: result.secret ?? '' } : null;
  return { session: sessionOf(result), factor };
}

/** The recovery codes of a registration's second factor. */
export const confirmFirstFactor = ({ token }: Session) =>
  command({
    send: async (code: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await body(api.POST('/api/platform/2fa/confirm', { body: { code }, headers }))).recoveryCodes;
    },
  });

export const setUp = command({
  send: async (values: Credentials & { readonly name: string; readonly token: string }) => {
    const session = sessionOf(await body(api.POST('/api/platform/setup', { body: values })));
    markFirstVisit(session.user.id);
    startSession(session);
  },
});

export const forgotPassword = command({
  send: (values: { readonly email: string }) => done(api.POST('/api/platform/password/forgot', { body: values })),
});

export const resetPassword = command({
  send: ({ factor, ...values }: { readonly code: string; readonly password: string; readonly factor: Factor }) =>
    done(api.POST('/api/platform/password/reset', { body: { ...values, ...asSignIn(factor) } })),
  success: ['Password changed', 'Sign in with your new password.'],
});

export const confirmEmail = command({
  send: (code: string) => done(api.POST('/api/platform/email/confirm', { body: { code } })),
  success: ['Address confirmed', 'Use it to sign in from now on.'],
});

/** True: signed in to the website. False: a code is needed, everything is sent again with it. */
export const signInToWebsite = command({
  send: async ({ credentials, factor }: Attempt<WebsiteCredentials>) => {
    const result = await body(
      api.POST('/api/auth/login', { body: { ...credentials, ...(factor ? asSignIn(factor) : {}) } }),
    );
    if (result.requires2FA) return false;
    startWebsiteSession({
      token: result.token,
      website: result.website,
      user: { name: result.user.name, email: result.user.email },
    });
    return true;
  },
  success: (signedIn) => (signedIn ? null : CODE_NEEDED),
  failure: rejected,
});

/** Removes the session from the browser even when the server is unreachable. */
export async function signOut(): Promise<void> {
  const owner = getSession()?.user.id;
  try {
    await done(api.POST('/api/platform/logout'));
  } finally {
    endSession();
    if (owner) forgetDrafts(owner);
  }
}

export async function signOutOfWebsite(): Promise<void> {
  try {
    await done(api.POST('/api/auth/logout'));
  } finally {
    endWebsiteSession();
  }
}

function sessionOf({ token, user }: { readonly token: string; readonly user: User }): Session {
  if (!token || !user) throw new Error('The server did not create a session.');
  return { token, user };
}
