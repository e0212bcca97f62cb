import { FolderInput, Lock, LockOpen, Pin, PinOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu, MenuItem } from '@/components/ui/menu';
import { LABELS, type Moderation } from '../lib/moderation';
import type { ThreadInFull } from '../lib/types';

interface Props {
  readonly trigger: ReactNode;
  readonly thread: ThreadInFull;
  readonly onAsk: (what: Moderation) => void;
}

export function ModerateMenu({ trigger, thread, onAsk }: Props) {
  const icons = {
    pin: thread.isPinned ? PinOff : Pin,
    lock: thread.isLocked ? LockOpen : Lock,
    move: FolderInput,
  } as const;
  return (
    <Menu trigger={trigger} opensAtOnce>
      {(['pin', 'lock', 'move'] as const).map((what) => {
        const Icon = icons[what];
        return (
          <MenuItem key={what} onSelect={() => onAsk(what)}>
            <Icon aria-hidden className="size-4" />
            {LABELS[what](thread).title}
          </MenuItem>
        );
      })}
    </Menu>
  );
}
