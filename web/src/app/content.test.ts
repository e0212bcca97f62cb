import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf } from '../../scripts/content.ts';
import { createAppRouter } from './router';
import { newQueryClient } from '@/lib/api/query-client';
import { allCards, articleOf, type Block, type Inline } from '@/lib/content';

const all = await allCards();

test('there are eight articles and twelve guides at least, each with a text', async () => {
  expect(all.filter((card) => card.kind === 'blog').length).toBeGreaterThanOrEqual(8);
  expect(all.filter((card) => card.kind === 'help').length).toBeGreaterThanOrEqual(12);
  for (const card of all) expect((await articleOf(card.kind, card.slug))?.blocks.length, card.slug).toBeGreaterThan(5);
});

test('no link of an article leads nowhere', async () => {
  const routes = new Set(Object.keys(createAppRouter(newQueryClient()).routesByPath));
  const articles = new Set(all.map((card) => `/${card.kind}/${card.slug}`));
  const lost: string[] = [];
  for (const card of all) {
    for (const href of (await articleOf(card.kind, card.slug))?.blocks.flatMap(linksOf) ?? []) {
      const path = href.replace(/[?#].*/, '');
      if (path.startsWith('/') && !routes.has(path) && !articles.has(path)) lost.push(`${card.slug}: ${href}`);
    }
  }
  expect(lost).toEqual([]);
});

test('the picture of every article says its title, and is of the size that its tags name', () => {
  const folder = join(process.cwd(), 'public/og');
  const titles = JSON.parse(readFileSync(join(folder, 'titles.json'), 'utf8')) as Record<string, string>;
  for (const card of all.filter((item) => item.kind === 'blog'))
    expect(titles[`blog-${card.slug}`], `npm run og: ${card.slug}`).toBe(card.title);
  for (const name of Object.keys(titles)) {
    const image = readFileSync(join(folder, `${name}.png`));
    expect([image.readUInt32BE(16), image.readUInt32BE(20)], name).toEqual([1200, 630]);
    expect(image.length, name).toBeLessThan(80_000);
  }
});

test('lessons of a course are numbered without gaps or doubles', () => {
  const courses = new Set(all.flatMap((card) => card.course ?? []));
  expect(courses.size).toBeGreaterThan(2);
  for (const course of courses) {
    const lessons = all.filter((card) => card.course === course).map((card) => Number(card.lesson));
    expect(
      lessons.sort((a, b) => a - b),
      course,
    ).toEqual(lessons.map((_, index) => index + 1));
  }
});

test.each([
  ['raw HTML', '<script>alert(1)</script>'],
  ['raw HTML in a line', 'Hello <b>you</b>'],
  ['images', '![a](https://x.example/a.png)'],
  ['scripts as links', '[a](javascript:alert(1))'],
  ['links to other hosts without a scheme', '[a](//evil.example)'],
  ['relative links', '[a](other.md)'],
])('a text with %s does not build', (_, source) => {
  expect(() => textOf(source, 'content/blog/x.md')).toThrow('content/blog/x.md');
});

test('a text becomes a tree of plain values', () => {
  expect(textOf('---\ntitle: T\n---\n\n## A & B\n\nOne *two* `<c>`.\n\n1. x\n2. y\n', 'x')).toEqual({
    title: 'T',
    blocks: [
      { h: 2, id: 'a-b', t: ['A & B'] },
      { p: ['One ', { i: ['two'] }, ' ', { c: '<c>' }, '.'] },
      { l: [[{ p: ['x'] }], [{ p: ['y'] }]], o: 1 },
    ],
  });
});

function linksOf(block: Block): string[] {
  if ('t' in block) return block.t.flatMap(targets);
  if ('p' in block) return block.p.flatMap(targets);
  if ('l' in block) return block.l.flat().flatMap(linksOf);
  if ('q' in block) return block.q.flatMap(linksOf);
  if ('th' in block) return [...block.th, ...block.tr.flat()].flat().flatMap(targets);
  return [];
}

function targets(part: Inline): string[] {
  if (typeof part === 'string' || 'c' in part || 'br' in part) return [];
  if ('a' in part) return [part.a, ...part.t.flatMap(targets)];
  return ('b' in part ? part.b : part.i).flatMap(targets);
}
