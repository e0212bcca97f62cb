import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { EarlyAccessBanner, EarlyAccessForm } from '@/features/leads/components/early-access-form';
import { NewsletterForm } from '@/features/leads/components/newsletter-form';
import { ShareSection } from '@/features/leads/components/share-section';
import { Home } from '@/features/site/components/home';
import { figuresOf, figuresOfDocument } from '@/features/site/lib/figures';
import { aboutQuery } from '@/lib/api/setup-queries';
import { PRODUCT } from '../product';

/** Read before the app takes the built document's place. */
const FIGURES = figuresOfDocument();

export function HomePage() {
  const router = useRouter();
  const paths: Readonly<Record<string, unknown>> = router.routesByPath;
  const about = useQuery({ ...aboutQuery, enabled: FIGURES === undefined });
  return (
    <Home
      figures={FIGURES ?? figuresOf(about.data?.figures)}
      has={(path) => path in paths}
      earlyAccess={
        <>
          <EarlyAccessBanner className="mb-4" />
          <EarlyAccessForm layout="row" />
        </>
      }
      newsletter={
        <>
          <h2 className="text-xl font-semibold">Newsletter</h2>
          <p className="mt-1 mb-5 text-muted">
            New articles and product updates, about once a month. Unsubscribe with one click.
          </p>
          <NewsletterForm withName source="home_page" />
        </>
      }
      earlyAdopter={
        <>
          <h2 className="text-xl font-semibold">Become an early adopter</h2>
          <p className="mt-1 mb-5 text-muted">Free for 10 beta testers. After that, join the waiting list.</p>
          <EarlyAccessForm />
        </>
      }
      share={
        <>
          <h2 className="mb-4 text-xl font-semibold">Share {PRODUCT}</h2>
          <ShareSection title={PRODUCT} description="Exact, live analytics and a community for affiliate marketers" />
        </>
      }
    />
  );
}
