import { useNavigate } from '@tanstack/react-router';
import { Keyboard, LogOut, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu';
import { messageOf } from '@/lib/api/errors';
import type { User } from '@/lib/session';
import { openHelp } from '@/stores/commands';
import { toastError } from '@/stores/toasts';
import { signOut } from '@/features/accounts/api/sign-in';

interface Props {
  readonly trigger: ReactNode;
  readonly user: User;
}

export function AccountMenu({ trigger, user }: Props) {
  const navigate = useNavigate();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      toastError('Signed out in this browser only', messageOf(error));
    }
    await navigate({ to: '/login' });
  };
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
      <MenuItem onSelect={openHelp}>
        <Keyboard aria-hidden className="size-4" />
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => void leave()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </MenuItem>
    </Menu>
  );
}
