import { Ellipsis } from 'lucide-react';
import { lazy } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-field';
import { LateMenu } from '@/components/ui/late-menu';
import type { Link } from '@/lib/api/types';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';
import { EditLink, QrDialog, RemoveLink } from './dialogs';

const LinkMenu = lazy(() => import('./link-menu').then((module) => ({ default: module.LinkMenu })));

export interface OpenLink {
  readonly link: Link;
  readonly what: 'qr' | 'edit' | 'remove';
}

interface Props {
  readonly link: Link;
  readonly onOpen: (open: OpenLink) => void;
  readonly onDetails?: (link: Link) => void;
  readonly onDuplicate?: (link: Link) => void;
}

/** Copy, and a menu of everything else. What opens belongs to the list: a phone that is turned makes rows of it, or a table, and these are new then. */
export function LinkActions({ link, ...menu }: Props) {
  return (
    <div className="flex gap-1">
      <CopyButton text={link.url} label={`link ${link.slug}`} />
      <LateMenu
        trigger={
          <Button size="sm" variant="ghost" aria-label={`Actions of link ${link.slug}`} title="More">
            <Ellipsis aria-hidden className="size-3.5" />
          </Button>
        }
      >
        {(trigger) => <LinkMenu trigger={trigger} link={link} {...menu} />}
      </LateMenu>
    </div>
  );
}

interface DialogProps {
  readonly open: OpenLink;
  readonly onClose: () => void;
  /** Where the link itself was shown. */
  readonly onRemoved?: () => void;
}

export function LinkDialog({ open, onClose, onRemoved }: DialogProps) {
  if (open.what === 'qr') return <QrDialog link={open.link} onClose={onClose} />;
  if (open.what === 'edit') return <EditLink link={open.link} onClose={onClose} />;
  return <RemoveLink link={open.link} onClose={onClose} {...(onRemoved ? { onRemoved } : {})} />;
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
