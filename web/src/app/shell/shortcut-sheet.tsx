import { useShallow } from 'zustand/react/shallow';
import { Dialog } from '@/components/ui/dialog';
import { keyLabels } from '@/lib/browser/shortcuts';
import { allCommands, closeCommands, useCommandStore } from '@/stores/commands';

export function ShortcutSheet() {
  const commands = useCommandStore(useShallow((state) => allCommands(state).filter((command) => command.keys)));
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Dialog
      open
      onOpenChange={closeCommands}
      title="Keyboard shortcuts"
      description="Shortcuts are off while you type. Single-key shortcuts can be turned off in Account Settings."
    >
      {groups.map((group) => (
        <section key={group} className="mt-4 first:mt-0">
          <h3 className="mb-1 text-[0.8125rem] font-medium text-muted">{group}</h3>
          <dl>
            {commands
              .filter((command) => command.group === group)
              .map((command) => (
                <div key={command.id} className="flex items-center justify-between gap-4 py-1">
                  <dt>{command.title}</dt>
                  <dd className="shrink-0">
                    <Keys keys={command.keys ?? ''} />
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keyLabels(keys).map((key, index) => (
        <kbd
          key={`${key}${index}`}
          className="rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
