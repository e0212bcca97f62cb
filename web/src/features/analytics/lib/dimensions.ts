import type { Dimension } from './search';

const NAMES: Partial<Record<Dimension, string>> = {
  partner: 'Partner',
  country: 'Country',
  device: 'Device',
  source: 'Source',
  link: 'Link',
  reason: 'Excluded as',
};

export const dimensionName = (dimension: Dimension): string => NAMES[dimension] ?? dimension.replace('sub', 'Sub-ID ');
