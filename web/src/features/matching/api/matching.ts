import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type Profile = Schemas['BusinessProfile'];
export type Recommendation = Schemas['Recommendation'];
export type EmptyReason = NonNullable<Schemas['Recommendations']['empty_reason']>;
export type Wording = Schemas['Wording'];
export type Application = Schemas['FollowedApplication'];
export type ApplicationStatus = Application['status'];

export const profileQuery = queryOptions({
  queryKey: ['matching', 'profile'],
  queryFn: async ({ signal }) => (await body(api.GET('/api/platform/affiliate/profile', { signal }))).profile,
  staleTime: 0,
});

export const recommendationsQuery = queryOptions({
  queryKey: ['matching', 'recommendations'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/affiliate/recommendations', { signal })),
  staleTime: 0,
});

export const applicationsQuery = queryOptions({
  queryKey: ['matching', 'applications'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/affiliate/applications', { signal })),
  staleTime: 0,
  refetchOnWindowFocus: true, // back from a program's page: its tracked link was followed
});

export const analyze = (businessIdea: string) =>
  body(api.POST('/api/platform/affiliate/analyze-business', { body: { businessIdea } }));

export const apply = (programId: string) =>
  body(api.POST('/api/platform/affiliate/applications', { body: { programId } }));

/** Requests AI-written pros and cons for these programs. */
export const word = (programIds: string[]) =>
  body(api.POST('/api/platform/affiliate/recommendations/wording', { body: { programIds } }));

export const move = (id: string, status: ApplicationStatus, note: string) =>
  done(api.PATCH('/api/platform/affiliate/applications/{id}', { params: { path: { id } }, body: { status, note } }));
