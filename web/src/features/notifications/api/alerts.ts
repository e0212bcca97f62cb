import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type AlertRule = components['schemas']['AlertRule'];
export type AlertKind = AlertRule['kind'];
export type AlertNumber = components['schemas']['AlertNumber'];
export type RaisedAlert = components['schemas']['RaisedAlert'];
export type AlertDelivery = components['schemas']['AlertDeliveryInZone'];
export type Webhook = components['schemas']['ListedWebhook'];
export type WebhookFormat = Webhook['format'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type NewWebhook = components['schemas']['AddWebhook'];

const PAGE = 20;
const AGAIN_MS = 60_000;

export const rulesQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['alerts', 'rules', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/alerts', { params: { query: { websiteId } }, signal })),
  });

/** Open alerts, newest first: of one website, or of all. */
export const openAlertsQuery = (websiteId?: string) =>
  queryOptions({
    queryKey: ['alerts', 'open', websiteId ?? ''] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/alerts/raised', {
          params: { query: { open: true, limit: PAGE, ...(websiteId ? { websiteId } : {}) } },
          signal,
        }),
      ),
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
  });

/** All alerts of all websites, also those that are over. */
export const raisedAlertsQuery = cursorQuery({
  queryKey: ['alerts', 'raised'],
  read: (at, signal) =>
    answer(
      api.GET('/api/platform/alerts/raised', {
        params: { query: { limit: PAGE, ...at } },
        signal,
      }),
    ),
});

export const deliveryQuery = queryOptions({
  queryKey: ['alerts', 'delivery'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/alert-delivery', { signal })),
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/webhooks', { signal })),
});

export const messagesQuery = (id: string) =>
  cursorQuery({
    queryKey: ['webhooks', 'messages', id] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { limit: PAGE, ...at } },
          signal,
        }),
      ),
    staleTime: 0,
  });

export interface RuleChange {
  readonly websiteId: string;
  readonly kind: AlertKind;
  readonly enabled: boolean;
  readonly threshold: number | null;
  readonly minimum: number | null;
}

/** The rule of a website. Where it fails, the rule says so itself. */
export const setRule = command({
  send: (change: RuleChange) => body(api.POST('/api/platform/alerts', { body: change })),
  changes: ({ websiteId }) => [rulesQuery(websiteId).queryKey],
  success: 'Alert saved',
});

export const resetRule = command({
  send: ({ id }: { readonly id: string; readonly websiteId: string }) =>
    done(api.DELETE('/api/platform/alerts/{id}', { params: { path: { id } } })),
  changes: ({ websiteId }) => [rulesQuery(websiteId).queryKey],
  success: 'Defaults restored',
  failure: 'Failed to restore the defaults',
});

export const setDelivery = command({
  send: ({ mail, mailResolved, quietFrom, quietUntil }: Omit<AlertDelivery, 'timezone'>) =>
    body(
      api.PUT('/api/platform/alert-delivery', {
        body: { mail, mailResolved, quietFrom: quietFrom ?? null, quietUntil: quietUntil ?? null },
      }),
    ),
  changes: [deliveryQuery.queryKey],
  success: 'Preference saved',
});

const of = (id: string) => ({ params: { path: { id } } });
const WEBHOOKS = [['webhooks']];

/** Adds a webhook or changes one: the secret of a new one, null of one that was there. */
export const saveWebhook = (webhook: Webhook | null) =>
  command({
    send: async (fields: NewWebhook): Promise<string | null> => {
      if (!webhook) return (await body(api.POST('/api/platform/webhooks', { body: fields }))).secret;
      await body(api.PATCH('/api/platform/webhooks/{id}', { ...of(webhook.id), body: fields }));
      return null;
    },
    changes: WEBHOOKS,
    success: webhook ? 'Webhook saved' : 'Webhook added',
  });

export const turnOnWebhook = command({
  send: (id: string) => body(api.PATCH('/api/platform/webhooks/{id}', { ...of(id), body: { active: true } })),
  changes: WEBHOOKS,
  failure: 'Failed to change the webhook',
});

export const removeWebhook = command({
  send: (id: string) => done(api.DELETE('/api/platform/webhooks/{id}', of(id))),
  changes: WEBHOOKS,
  success: 'Webhook deleted',
  failure: 'Failed to delete the webhook',
});

export const rotateSecret = command({
  send: (id: string) => body(api.POST('/api/platform/webhooks/{id}/secret', of(id))),
  failure: 'Failed to rotate the secret',
});

export const testWebhook = command({
  send: (id: string) => body(api.POST('/api/platform/webhooks/{id}/test', of(id))),
  changes: WEBHOOKS,
  failure: 'Failed to send the test',
});
