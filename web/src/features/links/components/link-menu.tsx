import { Archive, ArchiveRestore, ChartColumn, Copy, Pencil, QrCode, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu';
import { useCommand } from '@/lib/api/command';
import type { Link } from '@/lib/api/types';
import { archiveLink } from '../api/one-link';

interface Props {
  readonly trigger: ReactNode;
  readonly link: Link;
  readonly onOpen: (open: { readonly link: Link; readonly what: 'qr' | 'edit' | 'remove' }) => void;
  readonly onDetails?: (link: Link) => void;
  readonly onDuplicate?: (link: Link) => void;
}

/** What may be done with one link beside copying it. */
export function LinkMenu({ trigger, link, onOpen, onDetails, onDuplicate }: Props) {
  const archive = useCommand(archiveLink);
  const Archiving = link.isArchived ? ArchiveRestore : Archive;
  return (
    <Menu trigger={trigger} opensAtOnce>
      {onDetails && (
        <MenuItem onSelect={() => onDetails(link)}>
          <ChartColumn aria-hidden className="size-4" />
          Details
        </MenuItem>
      )}
      <MenuItem onSelect={() => onOpen({ link, what: 'edit' })}>
        <Pencil aria-hidden className="size-4" />
        Edit
      </MenuItem>
      {onDuplicate && (
        <MenuItem onSelect={() => onDuplicate(link)}>
          <Copy aria-hidden className="size-4" />
          Duplicate
        </MenuItem>
      )}
      <MenuItem onSelect={() => onOpen({ link, what: 'qr' })}>
        <QrCode aria-hidden className="size-4" />
        QR code
      </MenuItem>
      <MenuItem onSelect={() => archive.mutate({ id: link.id, isArchived: !link.isArchived })}>
        <Archiving aria-hidden className="size-4" />
        {link.isArchived ? 'Restore' : 'Archive'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => onOpen({ link, what: 'remove' })}>
        <Trash2 aria-hidden className="size-4" />
        Remove
      </MenuItem>
    </Menu>
  );
}
