import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';
import type { Period } from '../lib/periods';
import { periodParams } from './analytics';

export type Annotation = components['schemas']['Annotation'];

/** What is noted in a period, newest first. */
export const annotationsQuery = (websiteId: string, period: Period) => {
  const query = { websiteId, ...periodParams(period) };
  return queryOptions({
    queryKey: ['annotations', websiteId, query] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/annotations', { params: { query }, signal })),
  });
};

export const addAnnotation = (websiteId: string, at: string, text: string) =>
  done(api.POST('/api/platform/annotations', { body: { websiteId, at, text } }));

export const changeAnnotation = (id: string, at: string, text: string) =>
  done(api.PATCH('/api/platform/annotations/{id}', { params: { path: { id } }, body: { at, text } }));

export const removeAnnotation = (id: string) =>
  done(api.DELETE('/api/platform/annotations/{id}', { params: { path: { id } } }));
