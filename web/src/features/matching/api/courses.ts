// Courses are made of the articles that name one in their front matter, in the order of their lessons.
import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { allCards, type Card } from '@/lib/content';

export type Suggestion = components['schemas']['Suggestion'];
export interface Lesson {
  readonly id: string;
  readonly card: Card;
}
export interface Course {
  readonly id: string;
  readonly title: string;
  readonly minutes: number;
  readonly lessons: readonly Lesson[];
}

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);

/** Courses that start in the Help Center in its order, then those of the blog, oldest first. */
export function coursesOf(cards: readonly Card[]): Course[] {
  const titles = [...new Set(cards.flatMap((card) => (card.course ? [card.course] : [])))];
  return titles
    .map((title) =>
      courseOf(
        title,
        cards.filter((card) => card.course === title),
      ),
    )
    .sort(inOrder);
}

function courseOf(title: string, cards: readonly Card[]): Course {
  const own = [...cards].sort((one, other) => (one.lesson ?? 0) - (other.lesson ?? 0));
  return {
    id: slugOf(title),
    title,
    minutes: own.reduce((sum, card) => sum + card.minutes, 0),
    lessons: own.map((card) => ({ id: slugOf(`${card.kind}-${card.slug}`), card })),
  };
}

function inOrder(one: Course, other: Course): number {
  const [a, b] = [one.lessons[0]?.card, other.lessons[0]?.card];
  if (!a || !b || a.kind !== b.kind) return a?.kind === 'help' ? -1 : 1;
  return (a.kind === 'help' ? a.order - b.order : a.date.localeCompare(b.date)) || one.title.localeCompare(other.title);
}

export const coursesQuery = queryOptions({ queryKey: ['courses'], queryFn: async () => coursesOf(await allCards()) });

export const progressQuery = queryOptions({
  queryKey: ['learning', 'progress'],
  queryFn: async ({ signal }) => (await body(api.GET('/api/platform/learning/progress', { signal }))).lessons,
  staleTime: 0,
});

export const suggestionsQuery = queryOptions({
  queryKey: ['learning', 'suggestions'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/learning/suggestions', { signal })),
  staleTime: 0,
});

export const keyOf = (course: string, lesson: string): string => `${course}/${lesson}`;

/** A lesson counts as done, or as unread again. */
export const markLesson = (course: string, lesson: string) =>
  command({
    send: (isDone: boolean) =>
      done(api.POST('/api/platform/learning/lessons', { body: { course, lesson, done: isDone } })),
    changes: [progressQuery.queryKey],
    failure: 'Error',
  });
