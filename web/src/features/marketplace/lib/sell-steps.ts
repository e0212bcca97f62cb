import type { Draft } from './draft';

export const STEPS = [
  { id: 'website', label: 'Website', text: 'The basics.' },
  {
    id: 'figures',
    label: 'Numbers',
    text: 'Price and earnings. We can verify these numbers from your tracking data.',
  },
  { id: 'images', label: 'Images', text: 'Screenshots of the website and its statistics.' },
  {
    id: 'verification',
    label: 'Verification',
    text: 'A website tracked here can show verified numbers.',
  },
  { id: 'preview', label: 'Preview', text: 'How the listing will look.' },
] as const;
export type StepId = (typeof STEPS)[number]['id'];

const OF_FIELDS: Readonly<Record<keyof Draft, StepId>> = {
  title: 'website',
  websiteUrl: 'website',
  description: 'website',
  niche: 'website',
  yearsEstablished: 'website',
  askingPrice: 'figures',
  monthlyRevenue: 'figures',
  monthlyProfit: 'figures',
  monthlyTraffic: 'figures',
  websiteId: 'verification',
};

/** Where a field of the draft, or one that the server names, is filled in. */
export const stepOfField = (name: string): StepId =>
  Object.hasOwn(OF_FIELDS, name) ? OF_FIELDS[name as keyof Draft] : name.startsWith('images') ? 'images' : 'preview';

export const stepOf = (text: string | undefined): StepId => STEPS.find((step) => step.id === text)?.id ?? 'website';
