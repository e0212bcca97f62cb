/** The source of a visit that no page sent. */
export const DIRECT = 'Direct';
