import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
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
export const raisedAlertsQuery = infiniteQueryOptions({
  queryKey: ['alerts', 'raised'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    answer(
      api.GET('/api/platform/alerts/raised', {
        params: { query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  getNextPageParam: (page) => page.nextCursor,
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
  infiniteQueryOptions({
    queryKey: ['webhooks', 'messages', id] as const,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/platform/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export interface RuleChange {
  readonly websiteId: string;
  readonly kind: AlertKind;
  readonly enabled: boolean;
  readonly threshold: number | null;
  readonly minimum: number | null;
}

export const setRule = (change: RuleChange) => body(api.POST('/api/platform/alerts', { body: change }));
export const resetRule = (id: string) => done(api.DELETE('/api/platform/alerts/{id}', { params: { path: { id } } }));

export const setDelivery = ({ mail, mailResolved, quietFrom, quietUntil }: Omit<AlertDelivery, 'timezone'>) =>
  body(
    api.PUT('/api/platform/alert-delivery', {
      body: { mail, mailResolved, quietFrom: quietFrom ?? null, quietUntil: quietUntil ?? null },
    }),
  );

const of = (id: string) => ({ params: { path: { id } } });

export const addWebhook = (webhook: NewWebhook) => body(api.POST('/api/platform/webhooks', { body: webhook }));
export const changeWebhook = (id: string, change: components['schemas']['ChangeWebhook']) =>
  body(api.PATCH('/api/platform/webhooks/{id}', { ...of(id), body: change }));
export const removeWebhook = (id: string) => done(api.DELETE('/api/platform/webhooks/{id}', of(id)));
export const rotateSecret = (id: string) => body(api.POST('/api/platform/webhooks/{id}/secret', of(id)));
export const testWebhook = (id: string) => body(api.POST('/api/platform/webhooks/{id}/test', of(id)));
