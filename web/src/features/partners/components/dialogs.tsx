import { opened } from '@/components/data/opened';

export const AddPartner = opened(() => import('./add-partner').then((module) => module.AddPartner));
export const EditPartner = opened(() => import('./edit-partner').then((module) => module.EditPartner));
export const RequestPartner = opened(() => import('./request-partner').then((module) => module.RequestPartner));
