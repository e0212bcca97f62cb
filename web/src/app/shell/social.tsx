import { Rss } from 'lucide-react';
import { lazy, Suspense } from 'react';

const Profiles = lazy(() => import('./profiles').then(({ Profiles: component }) => ({ default: component })));

const look = 'grid size-9 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-text';

/** The operator's profiles, and the RSS feed. */
export function SocialLinks() {
  return (
    <ul aria-label="Social" className="mt-4 -ml-2 flex">
      <Suspense>
        <Profiles className={look} />
      </Suspense>
      <li>
        <a href="/blog.xml" aria-label="Blog by RSS" className={look}>
          <Rss aria-hidden className="size-4" />
        </a>
      </li>
    </ul>
  );
}
