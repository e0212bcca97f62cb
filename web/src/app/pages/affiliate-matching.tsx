import { Link, useSearch } from '@tanstack/react-router';
import { LockKeyhole } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { Matching } from '@/features/matching/components/matching';
import { cx } from '@/lib/cx';
import { textOf } from '@/lib/url/search';
import { useSession } from '@/lib/session';
import { Page } from './page';
import { programLink } from './program-link';

export function AffiliateMatchingPage() {
  const session = useSession();
  const suggested = textOf(useSearch({ from: '/affiliate-matching' })['idea']) ?? '';
  return (
    <Page title="AI Affiliate Matching" subtitle="Describe your business idea and find matching affiliate programs">
      {session ? (
        <Matching key={suggested} suggested={suggested} programLink={programLink} />
      ) : (
        <div className={cx(surface, 'mx-auto max-w-xl')}>
          <Empty
            icon={<LockKeyhole aria-hidden className="size-5" />}
            title="Login Required"
            action={
              <Link
                to="/login"
                search={{ next: '/affiliate-matching' }}
                className={buttonClass({ variant: 'primary' })}
              >
                Login to Continue
              </Link>
            }
          >
            You need to be logged in to use the AI Affiliate Matching feature.
          </Empty>
        </div>
      )}
    </Page>
  );
}
