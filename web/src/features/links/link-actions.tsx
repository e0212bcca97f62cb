import { Pencil, QrCode, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-field';
import type { Link } from '@/lib/api/types';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { useNow } from '@/lib/now';
import { EditLink, QrDialog, RemoveLink } from './dialogs';

/** Copy, QR code, edit and remove, with their dialogs. */
export function LinkActions({ link }: { readonly link: Link }) {
  const [open, setOpen] = useState<'qr' | 'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="flex gap-1">
      <CopyButton text={link.url} label={`link ${link.slug}`} />
      <Button size="sm" variant="ghost" aria-label={`QR code of link ${link.slug}`} title="QR code" onClick={() => setOpen('qr')}>
        <QrCode aria-hidden className="size-3.5" />
      </Button>
      <Button size="sm" variant="ghost" aria-label={`Edit link ${link.slug}`} title="Edit" onClick={() => setOpen('edit')}>
        <Pencil aria-hidden className="size-3.5" />
      </Button>
      <Button size="sm" variant="ghost" aria-label={`Remove link ${link.slug}`} title="Remove" onClick={() => setOpen('remove')}>
        <Trash2 aria-hidden className="size-3.5" />
      </Button>
      {open === 'qr' && <QrDialog link={link} onClose={close} />}
      {open === 'edit' && <EditLink link={link} onClose={close} />}
      {open === 'remove' && <RemoveLink link={link} onClose={close} />}
    </div>
  );
}

/** What is special about a link's way, at a glance. */
export function LinkBadges({ link }: { readonly link: Link }) {
  return (
    <span className="flex flex-wrap gap-1">
      {!link.isActive && <Badge tone="bad">Off</Badge>}
      {link.rules.length > 0 && <Badge>{`${link.rules.length} ${link.rules.length === 1 ? 'rule' : 'rules'}`}</Badge>}
      {link.variants.length > 0 && <Badge>{`Split in ${link.variants.length}`}</Badge>}
      {link.expiresAt && <Expiry at={link.expiresAt} />}
      {link.fallback && <Badge>Fallback</Badge>}
    </span>
  );
}

function Expiry({ at }: { readonly at: string }) {
  const expired = Date.parse(at) <= useNow();
  return <Badge tone={expired ? 'bad' : 'warn'}>{`${expired ? 'Expired' : 'Expires'} ${formatDateTime(at, browserTimezone())}`}</Badge>;
}
