// Public requests without an account.
import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';

export type Inquiring = Omit<components['schemas']['Contact'], 'serviceInterest'> & { serviceInterest: Service | '' };

export const SERVICES = ['Strategy Optimization', 'Growth Acceleration', 'Enterprise Solution'] as const;
export type Service = (typeof SERVICES)[number];
export const isService = (text: string | undefined): text is Service => SERVICES.some((service) => service === text);

export const placesQuery = queryOptions({
  queryKey: ['early-access'],
  queryFn: ({ signal }) => body(api.GET('/api/public/early-access', { signal })),
  staleTime: 0,
});

interface MessageResponse {
  readonly ok: boolean;
  readonly message: string;
}

/** An answer that came through and still says no is a failure with the server's words. Spec §7: so is a refusal without a message, with its text alone. */
async function agreed(call: Promise<MessageResponse>): Promise<string> {
  const said = await call.catch((error: unknown) => {
    throw error instanceof ApiError && error.plain ? new Error(error.plain) : error;
  });
  if (!said.ok) throw new Error(said.message);
  return said.message;
}

export interface Subscribing {
  readonly email: string;
  readonly name: string;
  readonly source: string;
  readonly website: string;
}

export const subscribe = command({
  send: ({ email, name, source, website }: Subscribing) =>
    agreed(
      body(
        api.POST('/api/public/newsletter/subscribe', { body: { email, source, website, ...(name ? { name } : {}) } }),
      ),
    ),
  success: ['Success!', "You've been subscribed to our newsletter."],
  failure: (error) => ['Subscription failed', messageOf(error, 'Failed to subscribe')],
});

export const joinEarlyAccess = command({
  send: (values: { readonly email: string; readonly website: string }) =>
    agreed(body(api.POST('/api/public/early-access', { body: values }))),
  changes: [placesQuery.queryKey],
  success: ["You're on the list!", "We'll notify you when early access opens."],
  failure: (error) => ['Signup failed', messageOf(error, 'Failed to sign up')],
});

export const inquire = command({
  send: ({ serviceInterest, ...rest }: Inquiring) =>
    done(api.POST('/api/public/contact', { body: { ...rest, serviceInterest: serviceInterest || null } })),
  success: ['Inquiry Submitted', 'Thank you for your inquiry. We will get back to you soon.'],
  failure: () => ['Error', 'Failed to submit inquiry. Please try again.'],
});

export const leaveEarlyAccess = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/early-access/leave', { body: { code } })));

export const confirmEarlyAccess = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/early-access/confirm', { body: { code } })));

export const confirmSubscription = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/newsletter/confirm', { body: { code } })));

export const unsubscribe = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/newsletter/unsubscribe', { body: { code } })));

export const confirmSiteSubscription = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/site-newsletter/confirm', { body: { code } })));

export const unsubscribeFromSite = (code: string): Promise<string> =>
  agreed(body(api.POST('/api/public/site-newsletter/unsubscribe', { body: { code } })));
