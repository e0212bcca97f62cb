import type { Draft } from './draft';

export const STEPS = [
  { id: 'website', label: 'Website', text: 'What it is about.' },
  { id: 'figures', label: 'Figures', text: 'What you ask, and what it earns. All of it can be compared with measurements.' },
  { id: 'images', label: 'Images', text: 'What it looks like, and its figures as you have them.' },
  { id: 'verification', label: 'Verification', text: 'A website that is measured here can show figures from its own log.' },
  { id: 'preview', label: 'Preview', text: 'As everybody will see it.' },
] as const;
export type StepId = (typeof STEPS)[number]['id'];

const OF_FIELDS: Readonly<Record<keyof Draft, StepId>> = {
  title: 'website', websiteUrl: 'website', description: 'website', niche: 'website', yearsEstablished: 'website',
  askingPrice: 'figures', monthlyRevenue: 'figures', monthlyProfit: 'figures', monthlyTraffic: 'figures', websiteId: 'verification',
};

/** Where a field of the draft, or one that the server names, is filled in. */
export const stepOfField = (name: string): StepId => (Object.hasOwn(OF_FIELDS, name) ? OF_FIELDS[name as keyof Draft] : name.startsWith('images') ? 'images' : 'preview');

export const stepOf = (text: string | undefined): StepId => STEPS.find((step) => step.id === text)?.id ?? 'website';
