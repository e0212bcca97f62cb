import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { csvFault } from '../lib/posts';
import type { ReportRange } from '../lib/report';

type Schemas = components['schemas'];

const rangeOf = (range: ReportRange) => (range === 'all' ? {} : { timeRange: range });

/** Each channel of a website, followed by its posts. */
export const reportQuery = (websiteId: string, range: ReportRange) =>
  queryOptions({
    queryKey: ['social-report', websiteId, range] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/social-report', { params: { query: { websiteId, ...rangeOf(range) } }, signal })),
    placeholderData: keepPreviousData,
  });

/** The address of the report as a file. */
export function reportCsv(websiteId: string, range: ReportRange): string {
  const query = new URLSearchParams({ websiteId });
  if (range !== 'all') query.set('timeRange', range);
  return `/api/platform/social-report.csv?${query.toString()}`;
}

/** The hash tells one picture of a post from the next. */
export const pictureUrl = (postId: string, hash: string): string =>
  `/api/platform/social-posts/${encodeURIComponent(postId)}/picture?v=${encodeURIComponent(hash)}`;

const of = (id: string) => ({ params: { path: { id } } });

/** The report and what is noted on the charts. */
const changes = [['social-report'], ['annotations']];

export const addPost = (channelId: string) =>
  command({
    send: (post: Schemas['AddSocialPost']) =>
      body(api.POST('/api/platform/social-channels/{id}/posts', { ...of(channelId), body: post })),
    changes,
    success: ({ title }) => ['Post added', title],
  });

export const changePost = (id: string) =>
  command({
    send: (fields: Schemas['ChangeSocialPost']) =>
      body(api.PATCH('/api/platform/social-posts/{id}', { ...of(id), body: fields })),
    changes,
    success: 'Post saved',
  });

export const removePost = command({
  send: (id: string) => done(api.DELETE('/api/platform/social-posts/{id}', of(id))),
  changes,
  success: 'Post removed',
  failure: 'Failed to remove the post',
});

/** Null: none. The image itself is the body; its description has no place for that in the types. */
export const setPicture = (id: string) =>
  command({
    send: (file: File | null) =>
      body(
        file
          ? api.POST('/api/platform/social-posts/{id}/images', {
              ...of(id),
              headers: { 'Content-Type': file.type },
              body: file as never,
              bodySerializer: () => file,
            })
          : api.DELETE('/api/platform/social-posts/{id}/images', of(id)),
      ),
    changes,
  });

export const importFile = (channelId: string) =>
  command({
    send: async (file: File) => {
      const fault = csvFault(file);
      if (fault) throw new Error(fault);
      const csv = await file.text();
      return body(api.POST('/api/platform/social-channels/{id}/figures', { ...of(channelId), body: { csv } }));
    },
    changes,
  });
