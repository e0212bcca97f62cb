import { createContext } from 'react';

/** The heading above: a card of the same name does not show it again. */
export const TitleAround = createContext('');
