import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { Boundary } from './boundary';

/** A dialog that is fetched when it is first opened: a page that does not open it does not pay for its form. `meanwhile`
 *  stands in the place of a part that is always there. */
export function opened<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): ComponentType<Props> {
  const Dialog: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function Opened(props: Props) {
    return (
      <Boundary fallback={null}>
        <Suspense fallback={meanwhile}>
          <Dialog {...props} />
        </Suspense>
      </Boundary>
    );
  };
}
