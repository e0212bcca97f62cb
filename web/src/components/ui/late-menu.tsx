// A menu whose code is fetched when it is first opened: until then it is its button.
import { cloneElement, Suspense, useState, type ReactElement, type ReactNode } from 'react';
import { Boundary } from '../data/boundary';

interface TriggerProps {
  readonly onClick?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

interface Props {
  readonly trigger: ReactElement<TriggerProps>;
  /** The lazy menu, which opens as soon as it is loaded. */
  readonly children: (trigger: ReactElement<TriggerProps>) => ReactNode;
  /** Fallback when it cannot be loaded; its button otherwise. */
  readonly failed?: ReactNode;
}

export function LateMenu({ trigger, children, failed }: Props) {
  const [wanted, setWanted] = useState(false);
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
  });
  if (!wanted) return button;
  return (
    <Boundary fallback={failed ?? button}>
      <Suspense fallback={button}>{children(trigger)}</Suspense>
    </Boundary>
  );
}
