import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
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

const changes = [ideasQuery.queryKey];

export const requestIdeas = command({
  send: (answers: IdeaAnswers) => done(api.POST('/api/platform/affiliate/ideas', { body: answers })),
  changes,
});

export const saveIdea = command({
  send: (idea: string) => done(api.POST('/api/platform/affiliate/ideas/save', { body: { idea } })),
  changes,
  failure: 'Error',
});

interface Dismissal {
  readonly reason: DismissReason;
  readonly note: string;
}

export const dismissIdea = (idea: string) =>
  command({
    send: ({ reason, note }: Dismissal) =>
      done(api.POST('/api/platform/affiliate/ideas/dismiss', { body: { idea, reason, note } })),
    changes,
  });

/** Neither saved nor dismissed any more. */
export const releaseIdea = command({
  send: (idea: string) => done(api.POST('/api/platform/affiliate/ideas/release', { body: { idea } })),
  changes,
  failure: 'Error',
});

/** Requests AI-written texts for these ideas. */
export const wordIdeas = command({
  send: (ideas: string[]): Promise<unknown> =>
    body(api.POST('/api/platform/affiliate/ideas/wording', { body: { ideas } })),
  changes,
});
