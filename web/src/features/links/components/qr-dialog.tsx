import { Download } from 'lucide-react';
import { buttonClass } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import type { Link } from '@/lib/api/types';

export function QrDialog({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const address = `/api/platform/links/${encodeURIComponent(link.id)}/qr.svg`;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="QR code"
      description="Scans count as clicks on this link."
    >
      <div className="flex flex-col gap-4">
        <img
          src={address}
          alt={`QR code of ${link.url}`}
          className="mx-auto size-56 rounded-lg border border-line bg-white"
        />
        <CopyField label="Link address" value={link.url} />
        <a href={address} download={`${link.slug}.svg`} className={buttonClass({ variant: 'primary' }, 'self-end')}>
          <Download aria-hidden className="size-4" />
          Download SVG
        </a>
      </div>
    </Dialog>
  );
}
