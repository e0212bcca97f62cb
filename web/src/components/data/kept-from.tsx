import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cx } from '@/lib/cx';
import { formatDay } from '@/lib/dates';
import { websitesQuery } from '@/lib/api/shared-queries';

interface Props {
  /** `keptFrom` of the answer. */
  readonly day: string | null | undefined;
  /** What the answer is about: the id of a website, all websites of the account, or all of the installation. */
  readonly of: string | 'account' | 'installation';
  readonly className?: string;
}

/** A line at what retention has shortened: since when individual events are complete, and where an owner sets it. */
export function KeptFrom({ day, of, className = 'mb-3' }: Props) {
  const websites = useQuery({ ...websitesQuery, enabled: Boolean(day) && of !== 'installation' });
  if (!day) return null;
  const own = websites.data?.filter((website) => of === 'account' || website.id === of) ?? [];
  const one = of !== 'installation' && (of !== 'account' || own.length === 1);
  return (
    <p className={cx('text-[0.8125rem] text-muted', className)}>
      {`Individual events ${one ? 'are' : 'of some websites are only'} available from ${formatDay(day)} (UTC).`}
      {own.length > 0 && (
        <>
          {' '}
          <Link
            to="/account-settings"
            search={{ tab: 'websites' }}
            {...(own.length === 1 ? { hash: `retention-${own[0]?.id}` } : {})}
            className="font-medium text-brand hover:underline"
          >
            Retention settings
          </Link>
        </>
      )}
    </p>
  );
}
