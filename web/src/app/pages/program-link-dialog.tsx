import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorBox } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { CreateLink } from '@/features/links/components/dialogs';
import type { IdeaProgram } from '@/features/matching/api/ideas';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';

interface Props {
  readonly program: IdeaProgram;
  readonly onClose: () => void;
}

/** The dialog for a tracked link, prefilled with a program of the directory. */
export function ProgramLinkDialog({ program, onClose }: Props) {
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  if (websites.data && websites.data.length > 0)
    return (
      <CreateLink
        websites={websites.data}
        partners={partners}
        begin={{ partnerId: program.partnerId, destination: program.website }}
        onClose={onClose}
      />
    );
  if (!websites.data && !websites.error) return null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Link to ${program.companyName}`}
      description="A tracked link belongs to a website. Connect one first."
    >
      {websites.error ? (
        <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />
      ) : (
        <Link to="/onboarding" className={buttonClass({ variant: 'primary' })}>
          Connect a website
        </Link>
      )}
    </Dialog>
  );
}
