/** The product's name: the only place in the app where it is written. */
export const PRODUCT = 'Althing';
