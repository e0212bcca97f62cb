import type { WebsiteKey } from '@/lib/api/types';

export type Kind = WebsiteKey['kind'];

export const KINDS: Record<Kind, { readonly name: string; readonly hint: string }> = {
  site: {
    name: 'Site key',
    hint: 'Public: part of the script. Can send page views, clicks and custom events, and claim sales.',
  },
  secret: { name: 'Secret key', hint: 'For your server: can also report conversions and past events.' },
  postback: { name: 'Postback token', hint: 'For partners: can only report conversions. Includes the postback URL.' },
};
