import { Link } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';

export function NoWebsites() {
  return (
    <div className={cx(surface, 'py-8')}>
      <Empty
        icon={<Globe aria-hidden className="size-5" />}
        title="No Websites Found"
        action={
          <Link to="/account-settings" search={{ tab: 'websites' }} className={buttonClass({ variant: 'primary' })}>
            Connect Website
          </Link>
        }
      >
        You need to connect a website before viewing analytics.
      </Empty>
    </div>
  );
}
