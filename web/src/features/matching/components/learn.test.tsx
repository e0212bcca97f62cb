import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Card } from '@/lib/content';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { coursesOf } from '../api/courses';
import { NO_IDEAS } from './ideas.fixture';

const card = (over: Partial<Card>): Card => ({
  kind: 'help',
  slug: 'a',
  title: 'A',
  description: 'About A',
  date: '2026-01-01',
  order: 1,
  minutes: 3,
  ...over,
});

test('courses are the articles that name one, in the order of their lessons', () => {
  const found = coursesOf([
    card({ slug: 'of-the-blog', course: 'A third', lesson: 1, kind: 'blog' }),
    card({ slug: 'late', course: 'Second: more!', lesson: 1, order: 2 }),
    card({ slug: 'two', course: 'First', lesson: 2, kind: 'blog', minutes: 4 }),
    card({ slug: 'one', course: 'First', lesson: 1 }),
    card({ slug: 'no-course' }),
  ]);
  expect(found.map(({ id, minutes, lessons }) => [id, minutes, lessons.map((lesson) => lesson.id)])).toEqual([
    ['first', 7, ['help-one', 'blog-two']],
    ['second-more', 3, ['help-late']],
    ['a-third', 3, ['blog-of-the-blog']],
  ]);
});

test('every course of the content has lessons, numbered without gaps', async () => {
  const { allCards } = await import('@/lib/content');
  const courses = coursesOf(await allCards());
  expect(courses.length).toBeGreaterThanOrEqual(3);
  for (const course of courses) {
    const numbers = course.lessons.map((lesson) => lesson.card.lesson);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(course.lessons.length).toBeGreaterThanOrEqual(5);
  }
});

test('everybody reads; progress and suggestions are of who is signed in', async () => {
  renderApp('/learn');
  expect((await screen.findAllByRole('list')).length).toBeGreaterThan(0);
  expect(await screen.findByRole('region', { name: 'Tracking that holds' })).toBeInTheDocument();
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  expect(requests('GET /api/platform/learning')).toEqual([]);
});

test('a lesson is marked as done and open again; a niche goes to matching', async () => {
  signIn();
  let lessons: { course: string; lesson: string; completedAt: string }[] = [];
  const niche = {
    industry: 'Pets',
    niche: 'City dogs',
    idea: 'Toys for city dogs',
    difficulty: 'easy' as const,
    monetization: 'medium' as const,
    why: 'Your links earned 200.00 USD',
  };
  server.use(
    http.get('/api/platform/affiliate/ideas', () => json(NO_IDEAS)),
    http.get('/api/platform/learning/progress', () => json({ lessons })),
    http.get('/api/platform/learning/suggestions', () => json({ suggestions: [niche], fromOwnResults: true })),
    http.post('/api/platform/learning/lessons', async ({ request }) => {
      const { done, ...lesson } = (await request.json()) as { course: string; lesson: string; done: boolean };
      lessons = done ? [{ ...lesson, completedAt: '2026-11-21T12:00:00Z' }] : [];
      return noContent();
    }),
  );
  const { user } = renderApp('/learn');
  const course = await screen.findByRole('region', { name: 'Tracking that holds' });
  const box = (await within(course).findAllByRole('checkbox'))[0] as HTMLElement;
  await user.click(box);
  expect(await within(course).findByText(/^1 of \d+ done$/)).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('POST'))?.body).toEqual({
    course: 'tracking-that-holds',
    lesson: 'blog-from-click-to-commission',
    done: true,
  });
  await user.click(box);
  expect(await within(course).findByText(/^0 of \d+ done$/)).toBeInTheDocument();
  expect(screen.getByText('Your links earned 200.00 USD')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Match this idea: City dogs' })).toHaveAttribute(
    'href',
    '/affiliate-matching?idea=Toys+for+city+dogs',
  );
  expect(await screen.findByRole('button', { name: 'Generate ideas' })).toBeInTheDocument();
});
