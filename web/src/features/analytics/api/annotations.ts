import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
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

interface Note {
  /** Of the annotation that changes; null: a new one. */
  readonly id: string | null;
  readonly at: string;
  readonly text: string;
}

export const saveAnnotation = (websiteId: string) =>
  command({
    send: ({ id, ...note }: Note) =>
      done(
        id
          ? api.PATCH('/api/platform/annotations/{id}', { params: { path: { id } }, body: note })
          : api.POST('/api/platform/annotations', { body: { websiteId, ...note } }),
      ),
    changes: [['annotations', websiteId]],
  });

export const removeAnnotation = (websiteId: string) =>
  command({
    send: (id: string) => done(api.DELETE('/api/platform/annotations/{id}', { params: { path: { id } } })),
    changes: [['annotations', websiteId]],
  });
