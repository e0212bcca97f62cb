import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { aboutQuery } from '@/lib/shared-queries';
import { textLink } from './text-link';

/** Where to write: the operator's address, and the form while it is unknown. */
export function ContactAddress() {
  const address = useQuery(aboutQuery).data?.contactEmail;
  return address ? (
    <a href={`mailto:${address}`} className={textLink}>
      {address}
    </a>
  ) : (
    <Link to="/contact" className={textLink}>
      Contact form
    </Link>
  );
}
