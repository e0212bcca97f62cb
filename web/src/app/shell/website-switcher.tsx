import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, Globe, Plus } from 'lucide-react';
import { lazy, useState } from 'react';
import { buttonClass, Button } from '@/components/ui/button';
import { LatePopover } from '@/components/ui/late-popover';
import { cx } from '@/lib/cx';
import { useCurrentWebsite } from './current-website';

const WebsiteList = lazy(() => import('./website-list').then((module) => ({ default: module.WebsiteList })));

/** On top of the side navigation. `rail`: as an icon. */
export function WebsiteSwitcher({ rail }: { readonly rail: boolean }) {
  const [open, setOpen] = useState(false);
  const { websites, website, choose } = useCurrentWebsite();
  if (!websites) return <div aria-hidden className="h-9 rounded-lg bg-sunken" />;
  if (!website) return <ConnectLink rail={rail} />;
  return (
    <LatePopover
      label="Websites"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          aria-label={`Website: ${website.domain}. Switch`}
          title={website.domain}
          className={cx('w-full', rail ? 'px-0' : 'justify-start px-2.5')}
        >
          <Globe aria-hidden className="size-4 shrink-0 text-muted" />
          {!rail && (
            <>
              <span className="min-w-0 flex-1 truncate text-left">{website.domain}</span>
              <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted" />
            </>
          )}
        </Button>
      }
    >
      <WebsiteList
        websites={websites}
        current={website.id}
        onChoose={(id) => {
          setOpen(false);
          choose(id);
        }}
        onClose={() => setOpen(false)}
      />
    </LatePopover>
  );
}

function ConnectLink({ rail }: { readonly rail: boolean }) {
  return (
    <Link
      to="/onboarding"
      className={buttonClass({}, cx('w-full', rail && 'px-0'))}
      {...(rail ? { 'aria-label': 'Connect a website', title: 'Connect a website' } : {})}
    >
      <Plus aria-hidden className="size-4" />
      {!rail && 'Connect a website'}
    </Link>
  );
}
