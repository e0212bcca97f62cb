import { lazy, Suspense, type ComponentType } from 'react';
import { Boundary } from './boundary';

/** A dialog that is fetched when it is first opened: a page that does not open it does not pay for its form. */
export function opened<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Dialog: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function Opened(props: Props) {
    return (
      <Boundary fallback={null}>
        <Suspense fallback={null}>
          <Dialog {...props} />
        </Suspense>
      </Boundary>
    );
  };
}
