import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { STATUSES } from '../lib/labels';

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

/** Its screen reads the profile before it shows the analysis. */
export const analyze = command({
  send: (businessIdea: string) =>
    body(api.POST('/api/platform/affiliate/analyze-business', { body: { businessIdea } })),
});

interface NewApplication {
  readonly programId: string;
}

export const applyTo = command({
  send: ({ programId }: NewApplication) =>
    body(api.POST('/api/platform/affiliate/applications', { body: { programId } })),
  changes: [applicationsQuery.queryKey, recommendationsQuery.queryKey],
  success: ['Application recorded', 'Track it under Your applications.'],
  failure: 'Error',
});

/** Requests AI-written pros and cons for these programs. */
export const wordPrograms = command({
  send: (programIds: string[]): Promise<unknown> =>
    body(api.POST('/api/platform/affiliate/recommendations/wording', { body: { programIds } })),
  changes: [recommendationsQuery.queryKey],
});

interface Move {
  readonly status: ApplicationStatus;
  readonly note: string;
}

export const moveApplication = ({ id, companyName }: Application) =>
  command({
    send: (move: Move) =>
      done(api.PATCH('/api/platform/affiliate/applications/{id}', { params: { path: { id } }, body: move })),
    changes: [['matching']],
    success: (_, { status }) => ['Application updated', `${companyName}: ${STATUSES[status].label}`],
  });
