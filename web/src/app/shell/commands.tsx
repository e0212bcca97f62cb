// The commands that every page offers, the key handler, and the two dialogs that read the same table.
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { isTyping, keyMatcher, overlayIsOpen } from '@/lib/browser/shortcuts';
import { useSession } from '@/lib/session';
import { allCommands, openHelp, openPalette, useCommands, useCommandStore, type Command } from '@/stores/commands';
import { useUi } from '@/stores/ui';
import { navigation, workFor } from '../navigation';

const ShortcutSheet = lazy(() => import('./shortcut-sheet').then((module) => ({ default: module.ShortcutSheet })));
const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })));

export function Commands() {
  const navigate = useNavigate();
  const router = useRouter();
  const session = useSession();
  const open = useCommandStore((state) => state.open);
  const setTheme = useUi((state) => state.setTheme);
  const work = session
    ? workFor(session.user, router).filter(({ to }) => !navigation.some((top) => top.to === to))
    : [];
  const go: Command[] = [...navigation, ...work].map((entry) => ({
    id: `go-${entry.to}`,
    title: `Go to ${entry.label}`,
    group: 'Pages',
    ...(entry.key ? { keys: `g ${entry.key}` } : {}),
    run: () => void navigate({ to: entry.to }),
  }));
  useCommands([
    ...go,
    ...(session
      ? [
          {
            id: 'go-settings',
            title: 'Go to Account Settings',
            group: 'Pages',
            keys: 'g s',
            run: () => void navigate({ to: '/account-settings' }),
          },
        ]
      : []),
    { id: 'palette', title: 'Search and commands', group: 'General', keys: 'mod+k', run: openPalette },
    { id: 'help', title: 'Show keyboard shortcuts', group: 'General', keys: '?', run: openHelp },
    {
      id: 'theme-light',
      title: 'Light theme',
      group: 'General',
      words: 'appearance bright',
      run: () => setTheme('light'),
    },
    { id: 'theme-dark', title: 'Dark theme', group: 'General', words: 'appearance night', run: () => setTheme('dark') },
    { id: 'theme-system', title: 'System theme', group: 'General', run: () => setTheme('system') },
  ]);
  useEffect(listen, []);
  return (
    <Suspense fallback={null}>
      {open === 'help' && <ShortcutSheet />}
      {open === 'palette' && <Palette />}
    </Suspense>
  );
}

function listen(): () => void {
  const matcher = keyMatcher();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.repeat) return;
    const withModifier = event.ctrlKey || event.metaKey;
    if (!withModifier && (isTyping(event.target) || overlayIsOpen() || !useUi.getState().singleKeys)) return;
    const pressed = matcher.press(event, Date.now());
    const commands = allCommands(useCommandStore.getState());
    for (const keys of pressed) {
      const command = commands.find((item) => item.keys === keys);
      if (!command) continue;
      event.preventDefault();
      command.run();
      return;
    }
  };
  window.addEventListener('keydown', onKeyDown);
  return () => window.removeEventListener('keydown', onKeyDown);
}
