import { Link } from '@tanstack/react-router';
import { Dialog } from '@/components/ui/dialog';
import { useSession } from '@/lib/session';
import { navigation } from '../navigation';
import { WorkNav } from './side-nav';

/** The navigation of small screens: the work pages of a signed-in person, then the pages that stand on top elsewhere. */
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
      {user && (
        <div className="mb-3 border-b border-line pb-3">
          <WorkNav user={user} onChoose={onClose} />
        </div>
      )}
      <nav aria-label="Main">
        <ul className="flex flex-col gap-0.5">
          {navigation.map((entry) => (
            <li key={entry.to}>
              <Link
                to={entry.to}
                activeOptions={{ exact: entry.to === '/', includeSearch: false }}
                onClick={onClose}
                className="block rounded-lg px-3 py-2 text-muted hover:bg-sunken aria-[current=page]:bg-brand-soft aria-[current=page]:font-medium aria-[current=page]:text-brand"
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
