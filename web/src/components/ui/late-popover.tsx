// A popover whose code is fetched when it is first opened: until then it is its button.
import { cloneElement, lazy, Suspense, useState, type ComponentProps, type ReactElement } from 'react';
import { Boundary } from '../data/boundary';
import { Skeleton } from '../data/states';
import type { Popover as Whole } from './popover';

const Popover = lazy(() => import('./popover').then((module) => ({ default: module.Popover })));

interface TriggerProps {
  readonly onClick?: () => void;
  readonly 'aria-haspopup'?: 'dialog';
  readonly 'aria-expanded'?: boolean;
}

type Props = Omit<ComponentProps<typeof Whole>, 'trigger'> & { readonly trigger: ReactElement<TriggerProps> };

/** What it holds may be fetched late as well. */
export function LatePopover({ trigger, children, ...rest }: Props) {
  const [wanted, setWanted] = useState(rest.open);
  if (rest.open && !wanted) setWanted(true);
  const button = cloneElement(trigger, {
    'aria-haspopup': 'dialog',
    'aria-expanded': rest.open,
    onClick: () => rest.onOpenChange(!rest.open),
  });
  if (!wanted) return button;
  return (
    <Boundary fallback={<FailedPart />}>
      <Suspense fallback={button}>
        <Popover {...rest} trigger={trigger}>
          <Boundary fallback={<FailedPart />}>
            <Suspense fallback={<Skeleton className="h-40" />}>{children}</Suspense>
          </Boundary>
        </Popover>
      </Suspense>
    </Boundary>
  );
}

function FailedPart() {
  return (
    <p role="alert" className="text-bad">
      This part could not be loaded. Please reload the page.
    </p>
  );
}
