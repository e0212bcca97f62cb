import { createContext, useContext } from 'react';

/** Whether the page tells already that its data cannot be read: its cards then do not repeat it. */
export const PageFailure = createContext(false);

export const usePageFailure = (): boolean => useContext(PageFailure);
