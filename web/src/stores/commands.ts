// One table of commands: the palette, the "?" sheet and the key handler all read it.
import { useEffect, useRef } from 'react';
import { create } from 'zustand';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** "?", "Escape", "mod+k", or two keys one after the other: "g d". */
  readonly keys?: string;
  /** Other words that the palette finds it by. */
  readonly words?: string;
  readonly run: () => void;
}

interface CommandState {
  readonly owners: ReadonlyMap<symbol, readonly Command[]>;
  readonly open: 'palette' | 'help' | null;
}

export const useCommandStore = create<CommandState>(() => ({ owners: new Map(), open: null }));

export const openPalette = (): void => useCommandStore.setState({ open: 'palette' });
export const openHelp = (): void => useCommandStore.setState({ open: 'help' });
export const closeCommands = (): void => useCommandStore.setState({ open: null });

export const allCommands = (state: CommandState): readonly Command[] => [...state.owners.values()].flat();

const REQUEST_MS = 10_000;
let requested: { readonly id: string; readonly until: number } | null = null;

/** Runs a command that the page offers, or will offer once it is there. */
export function requestCommand(id: string): void {
  requested = { id, until: Date.now() + REQUEST_MS };
  runRequested(allCommands(useCommandStore.getState()));
}

function runRequested(commands: readonly Command[]): void {
  const command = commands.find((item) => item.id === requested?.id);
  if (!command || !requested) return;
  const inTime = Date.now() < requested.until;
  requested = null;
  if (inTime) command.run();
}

/** Offers these commands while the component is on the page. Their `run` may change on every render. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const shape = commands.map((command) => `${command.id}|${command.title}|${command.keys ?? ''}`).join('\n');
  useEffect(() => {
    const owner = Symbol('commands');
    const offered = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find((item) => item.id === command.id)?.run(),
    }));
    useCommandStore.setState(({ owners }) => ({ owners: new Map(owners).set(owner, offered) }));
    runRequested(offered);
    return () => {
      useCommandStore.setState(({ owners }) => {
        const rest = new Map(owners);
        rest.delete(owner);
        return { owners: rest };
      });
    };
  }, [shape]);
}
