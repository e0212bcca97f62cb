import { useNavigate } from '@tanstack/react-router';
import { Keyboard, LogOut, Settings, UserRound } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu';
import { messageOf } from '@/lib/api/errors';
import type { User } from '@/lib/session';
import { openHelp } from '@/stores/commands';
import { toastError } from '@/stores/toasts';
import { signOut } from '@/features/auth/api';

export function AccountMenu({ user }: { readonly user: User }) {
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
    <Menu
      trigger={
        <Button aria-label={`Account of ${user.name}`} className="max-w-48 max-2xl:size-9 max-2xl:px-0">
          <UserRound aria-hidden className="size-4 shrink-0" />
          <span className="truncate max-2xl:hidden">{user.name}</span>
        </Button>
      }
    >
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
