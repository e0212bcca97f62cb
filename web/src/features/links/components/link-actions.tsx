import { Pencil, QrCode, Trash2 } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-field';
import type { Link } from '@/lib/api/types';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';
import { EditLink, QrDialog, RemoveLink } from './dialogs';

export interface OpenLink {
  readonly link: Link;
  readonly what: 'qr' | 'edit' | 'remove';
}

/** Copy, QR code, edit and remove. What opens belongs to the list: a phone that is turned makes rows of it, or a table, and these are new then. */
export function LinkActions({ link, onOpen }: { readonly link: Link; readonly onOpen: (open: OpenLink) => void }) {
  return (
    <div className="flex gap-1">
      <CopyButton text={link.url} label={`link ${link.slug}`} />
      <Button
        size="sm"
        variant="ghost"
        aria-label={`QR code of link ${link.slug}`}
        title="QR code"
        onClick={() => onOpen({ link, what: 'qr' })}
      >
        <QrCode aria-hidden className="size-3.5" />
      </Button>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Edit link ${link.slug}`}
        title="Edit"
        onClick={() => onOpen({ link, what: 'edit' })}
      >
        <Pencil aria-hidden className="size-3.5" />
      </Button>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Remove link ${link.slug}`}
        title="Remove"
        onClick={() => onOpen({ link, what: 'remove' })}
      >
        <Trash2 aria-hidden className="size-3.5" />
      </Button>
    </div>
  );
}

export function LinkDialog({ open, onClose }: { readonly open: OpenLink; readonly onClose: () => void }) {
  if (open.what === 'qr') return <QrDialog link={open.link} onClose={onClose} />;
  if (open.what === 'edit') return <EditLink link={open.link} onClose={onClose} />;
  return <RemoveLink link={open.link} onClose={onClose} />;
}

/** Why sales of a link are lost, and what to do. */
export const NO_CLICK_ID =
  'Sales through this link can’t be attributed. Add {click_id} to its destination, or have the partner’s network set.';

/** What is special about a link's way, at a glance. */
export function LinkBadges({ link }: { readonly link: Link }) {
  return (
    <span className="flex flex-wrap gap-1 empty:hidden">
      {!link.isActive && <Badge tone="bad">Off</Badge>}
      {!link.passesClickId && (
        <Badge tone="warn">
          <span title={NO_CLICK_ID}>Can’t pass a click ID</span>
        </Badge>
      )}
      {link.rules.length > 0 && <Badge>{`${link.rules.length} ${link.rules.length === 1 ? 'rule' : 'rules'}`}</Badge>}
      {link.variants.length > 0 && <Badge>{`Split in ${link.variants.length}`}</Badge>}
      {link.expiresAt && <Expiry at={link.expiresAt} />}
      {link.fallback && <Badge>Fallback</Badge>}
    </span>
  );
}

function Expiry({ at }: { readonly at: string }) {
  const expired = Date.parse(at) <= useNow();
  return (
    <Badge
      tone={expired ? 'bad' : 'warn'}
    >{`${expired ? 'Expired' : 'Expires'} ${formatZoned(at, browserTimezone())}`}</Badge>
  );
}
