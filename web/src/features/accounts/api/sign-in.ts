import { asSignIn, type Factor } from '@/components/security/factor';
import type { FactorToSetUp } from '@/components/security/factor-set-up';
import { api, body, done } from '@/lib/api/client';
import { forgetDrafts } from '@/lib/drafts';
import { markFirstVisit } from '@/lib/first-visit';
import { endSession, getSession, startSession, type Session, type User } from '@/lib/session';
import { endWebsiteSession, startWebsiteSession } from '@/lib/website-session';

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

export async function signIn(credentials: Credentials, factor?: Factor, ticket?: string): Promise<SignIn> {
  const result = await body(
    api.POST('/api/platform/login', {
      body: { ...credentials, ...(factor ? asSignIn(factor) : {}), ...(ticket ? { ticket } : {}) },
    }),
  );
  if (result.requires2FA) return { signedIn: false, ticket: result.ticket };
  startSession(sessionOf(result));
  return { signedIn: true };
}

/** The second step where there are no credentials to send again: after a provider's. */
export async function finishSignIn(ticket: string, factor: Factor): Promise<void> {
  startSession(
    sessionOf(await body(api.POST('/api/platform/login/second-factor', { body: { ticket, ...asSignIn(factor) } }))),
  );
}

export async function register(values: Registration): Promise<Registered> {
  return registeredOf(await body(api.POST('/api/platform/register', { body: values })));
}

export function registeredOf(result: { token: string; user: User; qrCode?: string; secret?: string }): Registered {
  const factor = result.qrCode ? { qrCode: result.qrCode, secret: result.secret ?? '' } : null;
  return { session: sessionOf(result), factor };
}

/** The recovery codes of a registration's second factor. */
export async function confirmFirstFactor(session: Session, code: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${session.token}` };
  return (await body(api.POST('/api/platform/2fa/confirm', { body: { code }, headers }))).recoveryCodes;
}

export async function setUp(values: Credentials & { readonly name: string; readonly token: string }): Promise<void> {
  const session = sessionOf(await body(api.POST('/api/platform/setup', { body: values })));
  markFirstVisit(session.user.id);
  startSession(session);
}

export const forgotPassword = (email: string): Promise<void> =>
  done(api.POST('/api/platform/password/forgot', { body: { email } }));

export const resetPassword = (code: string, password: string, factor: Factor): Promise<void> =>
  done(api.POST('/api/platform/password/reset', { body: { code, password, ...asSignIn(factor) } }));

export const confirmEmail = (code: string): Promise<void> =>
  done(api.POST('/api/platform/email/confirm', { body: { code } }));

/** True: signed in to the website. False: a code is needed, everything is sent again with it. */
export async function signInToWebsite(credentials: WebsiteCredentials, factor?: Factor): Promise<boolean> {
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
}

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
