import { useNavigate, useRouter } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Check, LayoutList, Plus } from 'lucide-react';
import type { Website } from '@/lib/api/types';
import { ALL_WEBSITES, hasPage } from '../navigation';

/** From this many on there is a search field. */
const MANY = 6;

interface Props {
  readonly websites: readonly Website[];
  readonly current: string;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** All websites of the person, to choose from by search, arrow keys or pointer. */
export function WebsiteList({ websites, current, onChoose, onClose }: Props) {
  const router = useRouter();
  const navigate = useNavigate();
  const go = (to: string) => {
    onClose();
    void navigate({ to: to as '/dashboard' });
  };
  return (
    <Command label="Websites" defaultValue={current} loop className="-m-4">
      <Command.Input
        placeholder="Search websites…"
        className={
          websites.length >= MANY
            ? 'w-full rounded-t-xl border-b border-line bg-transparent px-4 py-3 outline-none'
            : 'sr-only'
        }
      />
      <Command.List label="Websites" className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-4 text-center text-muted">No website matches.</Command.Empty>
        {websites.map(({ id, domain }) => (
          <Command.Item key={id} value={id} keywords={[domain]} className={item} onSelect={() => onChoose(id)}>
            <span className="min-w-0 flex-1 truncate">{domain}</span>
            {id === current && (
              <>
                <Check aria-hidden className="size-4 shrink-0 text-brand" />
                <span className="sr-only">(shown)</span>
              </>
            )}
          </Command.Item>
        ))}
        {hasPage(router, ALL_WEBSITES) && (
          <Command.Item value="all websites" className={item} onSelect={() => go(ALL_WEBSITES)}>
            <LayoutList aria-hidden className="size-4 shrink-0 text-muted" />
            All websites
          </Command.Item>
        )}
        <Command.Item value="connect a website" className={item} onSelect={() => go('/onboarding')}>
          <Plus aria-hidden className="size-4 shrink-0 text-muted" />
          Connect a website
        </Command.Item>
      </Command.List>
    </Command>
  );
}

const item = 'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 data-[selected=true]:bg-sunken';
