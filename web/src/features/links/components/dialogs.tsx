import { opened } from '@/components/data/opened';

export const CreateLink = opened(() => import('./create-link').then((module) => module.CreateLink));
export const BulkCreate = opened(() => import('./bulk-create').then((module) => module.BulkCreate));
export const ImportLinks = opened(() => import('./import-links').then((module) => module.ImportLinks));
export const EditLink = opened(() => import('./edit-link').then((module) => module.EditLink));
export const MoveLinks = opened(() => import('./move-links').then((module) => module.MoveLinks));
export const ReplaceInLinks = opened(() => import('./replace-in-links').then((module) => module.ReplaceInLinks));
export const LabelDialog = opened(() => import('./label-dialog').then((module) => module.LabelDialog));
export const RemoveLink = opened(() => import('./remove-link').then((module) => module.RemoveLink));
export const PostbackDialog = opened(() =>
  import('@/components/partners/postback-url').then((module) => module.PostbackDialog),
);
export const QrDialog = opened(() => import('./qr-dialog').then((module) => module.QrDialog));
