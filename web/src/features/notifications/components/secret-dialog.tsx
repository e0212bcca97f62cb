import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';

/** A secret that is shown this once. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      once
      onOpenChange={(open) => !open && onClose()}
      title="Your webhook's secret"
      description="Copy it now: it is shown only once. Use it to verify that messages come from us."
    >
      <div className="flex flex-col gap-4">
        <CopyField label="Secret" value={secret} />
        <Button variant="primary" className="self-end" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
