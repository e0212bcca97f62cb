import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { useShallow } from 'zustand/react/shallow';
import { useOverlay } from '@/components/ui/overlays';
import { useReturnFocus } from '@/components/ui/return-focus';
import { allCommands, closeCommands, useCommandStore } from '@/stores/commands';
import { Keys } from './shortcut-sheet';

export function Palette() {
  const focus = useReturnFocus();
  useOverlay(true, closeCommands);
  const commands = useCommandStore(
    useShallow((state) => allCommands(state).filter((command) => command.id !== 'palette')),
  );
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Radix.Root open onOpenChange={closeCommands}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade-in fixed inset-0 z-50 bg-black/45 backdrop-blur-[2px]" />
        <Radix.Content
          {...focus}
          aria-describedby={undefined}
          className="animate-rise-in fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-raised shadow-pop"
        >
          <Radix.Title className="sr-only">Command palette</Radix.Title>
          <Command label="Commands" loop>
            <Command.Input
              placeholder="Type a command or search…"
              className="w-full border-b border-line bg-transparent px-4 py-3.5 outline-none"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-2" label="Commands">
              <Command.Empty className="px-3 py-6 text-center text-muted">No command matches.</Command.Empty>
              {groups.map((group) => (
                <Command.Group
                  key={group}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
                >
                  {commands
                    .filter((command) => command.group === group)
                    .map((command) => (
                      <Command.Item
                        key={command.id}
                        value={command.id}
                        keywords={[command.title, command.group]}
                        className="flex cursor-pointer items-center justify-between gap-4 rounded-lg px-3 py-2 data-[selected=true]:bg-sunken"
                        onSelect={() => {
                          closeCommands();
                          command.run();
                        }}
                      >
                        {command.title}
                        {command.keys && <Keys keys={command.keys} />}
                      </Command.Item>
                    ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
