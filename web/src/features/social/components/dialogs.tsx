import { opened } from '@/components/data/opened';

export const CreateSocialLink = opened(() => import('./create-social-link').then((module) => module.CreateSocialLink));
export const EditPost = opened(() => import('./edit-post').then((module) => module.EditPost));
export const RenameChannel = opened(() => import('./rename-channel').then((module) => module.RenameChannel));
