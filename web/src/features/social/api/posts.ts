import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { ReportRange } from '../lib/report';

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

export const addPost = (channelId: string, post: { address: string; title: string; publishedAt: string }) =>
  body(api.POST('/api/platform/social-channels/{id}/posts', { ...of(channelId), body: post }));

export const changePost = (id: string, fields: { title?: string; publishedAt?: string }) =>
  body(api.PATCH('/api/platform/social-posts/{id}', { ...of(id), body: fields }));

export const removePost = (id: string) => done(api.DELETE('/api/platform/social-posts/{id}', of(id)));

/** The image itself is the body; its description has no place for that in the types. */
export const setPicture = (id: string, file: File) =>
  body(
    api.POST('/api/platform/social-posts/{id}/images', {
      ...of(id),
      headers: { 'Content-Type': file.type },
      body: file as never,
      bodySerializer: () => file,
    }),
  );

export const dropPicture = (id: string) => body(api.DELETE('/api/platform/social-posts/{id}/images', of(id)));

export const importFile = (channelId: string, csv: string) =>
  body(api.POST('/api/platform/social-channels/{id}/figures', { ...of(channelId), body: { csv } }));

/** After a change: the report and what is noted on the charts are read again. */
export function usePostsChanged(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['social-report'] }),
      client.invalidateQueries({ queryKey: ['annotations'] }),
    ]);
}
