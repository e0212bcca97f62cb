import { Link } from '@tanstack/react-router';
import { Dialog } from '@/components/ui/dialog';
import { useSession } from '@/lib/session';
import { navigationFor } from '../navigation';

/** The navigation of small screens. */
export function PhoneSheet({ onClose }: { readonly onClose: () => void }) {
  const user = useSession()?.user;
  return (
    <Dialog
      as="sheet"
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Menu"
    >
      <nav aria-label="Main">
        <ul className="flex flex-col gap-1">
          {navigationFor(user).map((entry) => (
            <li key={entry.to}>
              <Link
                to={entry.to}
                activeOptions={{ exact: entry.to === '/', includeSearch: false }}
                onClick={onClose}
                className="block rounded-lg px-3 py-2.5 text-base text-muted hover:bg-sunken aria-[current=page]:bg-brand-soft aria-[current=page]:font-medium aria-[current=page]:text-brand"
              >
                {entry.label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Dialog>
  );
}
