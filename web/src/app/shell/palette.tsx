// The command palette: the commands of the page and of the app, and the objects that the server finds.
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { MAX_LENGTH, MIN_LENGTH, searchQuery, type Found, type FoundKind } from '@/features/search/api/search';
import { OVERLAY, useOverlay } from '@/components/ui/overlays';
import { useReturnFocus } from '@/components/ui/return-focus';
import { cardsOf, type Card } from '@/lib/content';
import { useSession } from '@/lib/session';
import { allCommands, closeCommands, useCommandStore, type Command as AppCommand } from '@/stores/commands';
import { addressOf } from './palette-targets';
import { GROUPS, usePaletteCommands } from './palette-commands';
import { matching } from './palette-match';
import { QUERY_GROUPS, useQueryCommands } from './palette-queries';
import { Keys } from './shortcut-sheet';

const WAIT_MS = 120;
const SHOWN_OF_GROUP = 6;
const ORDER: readonly string[] = Object.values(GROUPS);
/** Shown once something is typed: there are many. */
const ONLY_FOUND: readonly string[] = [GROUPS.help, ...Object.values(QUERY_GROUPS)];
const HEADINGS: Readonly<Record<FoundKind, string>> = {
  website: 'Websites',
  partner: 'Partners',
  link: 'Links',
  view: 'Saved views',
  transaction: 'Transactions',
  thread: 'Forum threads',
  listing: 'Listings',
};

export function Palette() {
  const focus = useReturnFocus();
  useOverlay(true, closeCommands);
  const [typed, setTyped] = useState('');
  const groups = useCommandGroups(useDeferredValue(typed));
  const { found, state } = useFound(typed.trim());
  const objects = Object.entries(HEADINGS).map(
    ([kind, heading]) => [heading, found.filter((item) => item.kind === kind)] as const,
  );
  const count = found.length + groups.reduce((sum, [, commands]) => sum + commands.length, 0);
  const [first, rest] = [groups.filter(([name]) => isFirst(name)), groups.filter(([name]) => !isFirst(name))];
  // Below the objects, and not before them: what is shown first would stay chosen when they come.
  const shownBelow = state === 'searching' && found.length === 0 ? [] : rest;
  const ids = [
    ...first.flatMap(([, commands]) => commands.map(({ id }) => id)),
    ...objects.flatMap(([, items]) => items.map(valueOf)),
    ...shownBelow.flatMap(([, commands]) => commands.map(({ id }) => id)),
  ];
  // The best one, until another of those that are shown is chosen.
  const [choice, setChoice] = useState('');
  const chosen = ids.includes(choice) ? choice : (ids[0] ?? '');
  const field = useNamedChoice(`${chosen} ${ids.length}`);
  return (
    <Radix.Root open onOpenChange={closeCommands}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade-in fixed inset-0 z-overlay bg-black/45 backdrop-blur-[2px]" />
        <Radix.Content
          {...focus}
          {...OVERLAY}
          aria-describedby={undefined}
          className="animate-rise-in fixed top-[10vh] left-1/2 z-overlay flex max-h-[80dvh] w-[min(40rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-raised shadow-pop"
        >
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <Command
            label="Search and commands"
            loop
            shouldFilter={false}
            value={chosen}
            onValueChange={setChoice}
            className="flex min-h-0 flex-col"
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <Command.Input
                ref={field}
                value={typed}
                onValueChange={(text) => {
                  setTyped(text);
                  setChoice('');
                }}
                maxLength={MAX_LENGTH}
                placeholder="Search websites, links, transactions, pages…"
                className="w-full bg-transparent py-3.5 outline-none"
              />
            </div>
            <Command.List className="min-h-0 flex-1 overflow-y-auto p-2" label="Results">
              {first.map(([name, commands]) => (
                <CommandGroup key={name} name={name} commands={commands} />
              ))}
              {objects.map(
                ([heading, items]) => items.length > 0 && <ObjectGroup key={heading} heading={heading} items={items} />,
              )}
              {shownBelow.map(([name, commands]) => (
                <CommandGroup key={name} name={name} commands={commands} />
              ))}
              {count === 0 && state !== 'searching' && (
                <p className="px-3 py-6 text-center text-muted">Nothing found.</p>
              )}
              {state === 'failed' && (
                <p role="alert" className="px-3 py-2 text-[0.8125rem] text-bad">
                  Search is unavailable right now. Commands and pages still work.
                </p>
              )}
              {state === 'searching' && (
                <p role="status" className="px-3 py-2 text-[0.8125rem] text-muted">
                  Searching…
                </p>
              )}
            </Command.List>
            <p aria-live="polite" className="sr-only">
              {typed && state !== 'searching' ? `${count} ${count === 1 ? 'result' : 'results'}` : ''}
            </p>
            <p aria-hidden className="hidden border-t border-line px-4 py-2 text-xs text-muted sm:block">
              ↑ ↓ to move · Enter to open · Esc to close
            </p>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Names the chosen row to screen readers: cmdk leaves out one that was not chosen by a key. */
function useNamedChoice(shown: string): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const list = document.getElementById(field.current?.getAttribute('aria-controls') ?? '');
      const chosen = list?.querySelector('[role=option][aria-selected=true]');
      if (chosen) field.current?.setAttribute('aria-activedescendant', chosen.id);
    });
    return () => cancelAnimationFrame(frame);
  }, [shown]);
  return field;
}

const valueOf = ({ kind, id }: Found): string => `${kind}-${id}`;

/** What people do and where they go stands above the objects; settings and help below. */
const isFirst = (name: string): boolean => name === GROUPS.actions || name === GROUPS.pages || !ORDER.includes(name);

/** The matching commands by group; a command of the page stands for the one of the same id. */
function useCommandGroups(typed: string): readonly (readonly [string, readonly AppCommand[]])[] {
  const [help, setHelp] = useState<readonly Card[]>([]);
  useEffect(() => {
    void cardsOf('help').then(setHelp, () => undefined);
  }, []);
  const ofPage = useCommandStore(useShallow((state) => allCommands(state).filter(({ id }) => id !== 'palette')));
  const general = usePaletteCommands(help);
  const queries = useQueryCommands();
  const all = new Map([...ofPage, ...general, ...queries].map((command) => [command.id, command]));
  for (const command of ofPage) all.set(command.id, { ...all.get(command.id), ...command });
  const searching = typed.trim() !== '';
  const found = matching([...all.values()], typed);
  const names = [...new Set([...ORDER.slice(0, 2), ...found.map(({ group }) => group), ...ORDER.slice(2)])];
  return names
    .filter((name) => searching || !ONLY_FOUND.includes(name))
    .map((name) => {
      const commands = found.filter(({ group }) => group === name);
      return [name, searching ? commands.slice(0, SHOWN_OF_GROUP) : commands] as const;
    })
    .filter(([, commands]) => commands.length > 0);
}

/** What the server finds, once typing rests. */
function useFound(typed: string): { found: readonly Found[]; state: 'at rest' | 'searching' | 'failed' } {
  const signedIn = useSession() !== null;
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), WAIT_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const options = searchQuery(words);
  const query = useQuery({ ...options, enabled: signedIn && options.enabled });
  if (!signedIn || typed.length < MIN_LENGTH) return { found: [], state: 'at rest' };
  if (query.error) return { found: [], state: 'failed' };
  const searching = words !== typed || query.isFetching;
  return { found: query.data ?? [], state: searching ? 'searching' : 'at rest' };
}

function CommandGroup({ name, commands }: { readonly name: string; readonly commands: readonly AppCommand[] }) {
  return (
    <Command.Group heading={name} className={group}>
      {commands.map((command) => (
        <Command.Item
          key={command.id}
          value={command.id}
          className={row}
          onSelect={() => {
            closeCommands();
            command.run();
          }}
        >
          <span className="min-w-0 truncate">{command.title}</span>
          {command.keys && <Keys keys={command.keys} />}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function ObjectGroup({ heading, items }: { readonly heading: string; readonly items: readonly Found[] }) {
  const router = useRouter();
  const user = useSession()?.user;
  return (
    <Command.Group heading={heading} className={group}>
      {items.map((item) => (
        <Command.Item
          key={item.id}
          value={valueOf(item)}
          className={row}
          onSelect={() => {
            closeCommands();
            void router.navigate({ href: addressOf(item, user) });
          }}
        >
          <span className="min-w-0 truncate">{item.title}</span>
          {item.detail && (
            <span className="max-w-[50%] shrink-0 truncate text-[0.8125rem] text-muted">{item.detail}</span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

const group =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted';
const row =
  'flex min-h-9 cursor-pointer items-center justify-between gap-4 rounded-lg px-3 py-1.5 data-[selected=true]:bg-sunken';
