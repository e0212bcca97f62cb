import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type Ideas = Schemas['Ideas'];
export type Idea = Schemas['GeneratedIdea'];
export type DismissedIdea = Schemas['DismissedIdea'];
export type IdeaProgram = Schemas['IdeaProgram'];
export type IdeaAnswers = Schemas['IdeaAnswers'];
export type DismissReason = DismissedIdea['reason'];
export type Skill = IdeaAnswers['skills'][number];

export const ideasQuery = queryOptions({
  queryKey: ['matching', 'ideas'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/affiliate/ideas', { signal })),
  staleTime: 0,
});

export const requestIdeas = (answers: IdeaAnswers) =>
  done(api.POST('/api/platform/affiliate/ideas', { body: answers }));

export const saveIdea = (idea: string) => done(api.POST('/api/platform/affiliate/ideas/save', { body: { idea } }));

export const dismissIdea = (idea: string, reason: DismissReason, note: string) =>
  done(api.POST('/api/platform/affiliate/ideas/dismiss', { body: { idea, reason, note } }));

/** Neither saved nor dismissed any more. */
export const releaseIdea = (idea: string) =>
  done(api.POST('/api/platform/affiliate/ideas/release', { body: { idea } }));

/** Requests AI-written texts for these ideas. */
export const wordIdeas = (ideas: string[]) =>
  body(api.POST('/api/platform/affiliate/ideas/wording', { body: { ideas } }));
