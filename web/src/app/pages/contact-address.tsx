import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { aboutQuery } from '@/lib/api/setup-queries';
import { textLink } from './text-link';

/** Where to write: the operator's address; while it is unknown the form, or `otherwise` on the form's own page. */
export function ContactAddress({ otherwise }: { readonly otherwise?: string }) {
  const address = useQuery(aboutQuery).data?.contactEmail;
  if (address) {
    return (
      <a href={`mailto:${address}`} className={textLink}>
        {address}
      </a>
    );
  }
  return (
    otherwise ?? (
      <Link to="/contact" className={textLink}>
        Contact form
      </Link>
    )
  );
}
