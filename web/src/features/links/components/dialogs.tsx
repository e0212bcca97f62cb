// The dialogs of links, fetched when one is first opened: a page that only lists links does not pay for their forms.
import { lazy, Suspense, type ComponentProps, type ComponentType, type LazyExoticComponent } from 'react';
import { Boundary } from '@/components/data/boundary';

export const CreateLink = opened(
  lazy(() => import('./create-link').then((module) => ({ default: module.CreateLink }))),
);
export const BulkCreate = opened(
  lazy(() => import('./bulk-create').then((module) => ({ default: module.BulkCreate }))),
);
export const EditLink = opened(lazy(() => import('./edit-link').then((module) => ({ default: module.EditLink }))));
export const RemoveLink = opened(
  lazy(() => import('./remove-link').then((module) => ({ default: module.RemoveLink }))),
);
export const PostbackDialog = opened(
  lazy(() => import('@/components/partners/postback-url').then((module) => ({ default: module.PostbackDialog }))),
);
export const QrDialog = opened(lazy(() => import('./qr-dialog').then((module) => ({ default: module.QrDialog }))));

function opened<Props extends object>(Dialog: LazyExoticComponent<ComponentType<Props>>) {
  return function Opened(props: ComponentProps<typeof Dialog>) {
    return (
      <Boundary fallback={null}>
        <Suspense fallback={null}>
          <Dialog {...props} />
        </Suspense>
      </Boundary>
    );
  };
}
