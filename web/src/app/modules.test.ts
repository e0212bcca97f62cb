import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { isOn, MODULE_PAGES } from '@/lib/modules';

afterEach(() => {
  delete document.documentElement.dataset['without'];
  vi.resetModules();
});

test('pages of modules are those of the services', () => {
  const source = readFileSync('../infra/kernel/config/modules.py', 'utf8');
  for (const [name, pages] of Object.entries(MODULE_PAGES)) {
    const own = source.slice(source.indexOf(`"${name}": Module(`)).split('),')[0] ?? '';
    expect([...own.matchAll(/"(\/[\w/-]+)"/g)].map(([, path]) => path)).toEqual(pages);
  }
});

test('what is switched off is not there, and nothing else', () => {
  document.documentElement.dataset['without'] = 'forum matching';
  expect(['/forum', '/forum/thread/t1?post=p2', '/affiliate-matching'].map(isOn)).toEqual([false, false, false]);
  expect(['/', '/forums', '/marketplace', '/help/forum-and-notifications'].map(isOn)).toEqual([true, true, true, true]);
});

test('navigation, footer and administration lack it', async () => {
  document.documentElement.dataset['without'] = Object.keys(MODULE_PAGES).join(' ');
  vi.resetModules();
  const { navigation, footer } = await import('./navigation');
  const { adminSections } = await import('@/lib/admin/sections');
  expect(navigation.map(({ label }) => label)).toEqual(['Home', 'About', 'Dashboard', 'Analytics']);
  const targets = [...footer.flatMap(({ links }) => links), ...adminSections].map(({ to }) => to);
  expect(
    targets.filter((to) =>
      Object.values(MODULE_PAGES)
        .flat()
        .includes(to as never),
    ),
  ).toEqual([]);
});
