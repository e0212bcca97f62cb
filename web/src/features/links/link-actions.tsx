import { useMutation } from '@tanstack/react-query';
import { Pencil, QrCode, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { api, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Link } from '@/lib/api/types';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { useNow } from '@/lib/now';
import { toast, toastError } from '@/stores/toasts';
import { EditLink, QrDialog } from './dialogs';
import { useLinksChanged } from './queries';

/** Copy, QR code, edit and remove, with their dialogs. */
export function LinkActions({ link }: { readonly link: Link }) {
  const changed = useLinksChanged();
  const [open, setOpen] = useState<'qr' | 'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/platform/links/{id}', { params: { path: { id: link.id } } })),
    onSuccess: () => toast('Link removed'),
    onError: (error) => toastError('Failed to remove the link', messageOf(error)),
    onSettled: changed,
  });
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
      {open === 'remove' && (
        <Dialog
          open
          onOpenChange={(next) => {
            if (!next) close();
          }}
          title="Remove this link?"
          description={`${link.url} stops working. Its past clicks stay counted.`}
        >
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="danger"
              onClick={() => {
                remove.mutate();
                close();
              }}
            >
              Remove link
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** What is special about a link's way, at a glance. */
export function LinkBadges({ link }: { readonly link: Link }) {
  const now = useNow();
  const expired = link.expiresAt !== null && Date.parse(link.expiresAt) <= now;
  return (
    <span className="flex flex-wrap gap-1">
      {!link.isActive && <Badge tone="bad">Off</Badge>}
      {link.rules.length > 0 && <Badge>{`${link.rules.length} ${link.rules.length === 1 ? 'rule' : 'rules'}`}</Badge>}
      {link.variants.length > 0 && <Badge>{`Split in ${link.variants.length}`}</Badge>}
      {link.expiresAt && <Badge tone={expired ? 'bad' : 'warn'}>{`${expired ? 'Expired' : 'Expires'} ${formatDateTime(link.expiresAt, browserTimezone())}`}</Badge>}
      {link.fallback && <Badge>Fallback</Badge>}
    </span>
  );
}
