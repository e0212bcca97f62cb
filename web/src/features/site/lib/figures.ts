// Marketing figures of the home page (§9). The specification's are usual; the operator may change or hide each by a setting.
import type { components } from '@/lib/api/schema';
import FIGURES from './figures.json';

type Given = components['schemas']['MarketingFigures'];

export interface Figure {
  readonly name: string;
  readonly label: string;
  readonly of: string;
  /** Undefined: not known yet. */
  readonly value: string | undefined;
}

/** What the document says: the gateway writes the operator's figures into the built page, which the app then replaces. */
export function figuresOfDocument(): readonly Figure[] | undefined {
  if (document.documentElement.dataset['build'] !== undefined)
    return FIGURES.map(({ usual, ...figure }) => ({ ...figure, value: usual }));
  if (document.getElementById('figures') === null) return undefined;
  return FIGURES.flatMap(({ name, label, of }) => {
    const value = document.querySelector(`[data-figure="${name}"] dd`)?.textContent;
    return value ? [{ name, label, of, value }] : [];
  });
}

/** The same as the API says it; all of them, without values, as long as it does not. */
export const figuresOf = (given: Given | undefined): readonly Figure[] =>
  FIGURES.flatMap(({ name, label, of }): readonly Figure[] => {
    if (!given) return [{ name, label, of, value: undefined }];
    const value = given[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof Given];
    return value === null ? [] : [{ name, label, of, value }];
  });
