import { useNavigate } from '@tanstack/react-router';
import { CircleHelp, Keyboard, LogOut, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu';
import type { User } from '@/lib/session';
import { openHelp } from '@/stores/commands';
import { useUi, type Theme } from '@/stores/ui';
import { useSignOut } from './use-sign-out';

interface Props {
  readonly trigger: ReactNode;
  readonly user: User;
}

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'System' },
];

export function AccountMenu({ trigger, user }: Props) {
  const navigate = useNavigate();
  const { theme, setTheme } = useUi();
  const leave = useSignOut();
  return (
    <Menu trigger={trigger} opensAtOnce>
      <MenuLabel>
        <span className="block max-w-60 truncate font-medium text-text">{user.name}</span>
        <span className="block max-w-60 truncate">{user.email}</span>
      </MenuLabel>
      <MenuSeparator />
      <MenuItem onSelect={() => void navigate({ to: '/account-settings' })}>
        <Settings aria-hidden className="size-4" />
        Account Settings
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/help' })}>
        <CircleHelp aria-hidden className="size-4" />
        Help Center
      </MenuItem>
      <MenuItem onSelect={openHelp}>
        <Keyboard aria-hidden className="size-4" />
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuChoices label="Theme" value={theme} choices={THEMES} onChoose={setTheme} />
      <MenuSeparator />
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </MenuItem>
    </Menu>
  );
}
