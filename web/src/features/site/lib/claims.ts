// Claims that the specification gives as marketing text (§1, §9). Real numbers are shown elsewhere.
export const SECURITY_CLAIMS: readonly string[] = [
  'Military-grade security',
  '256-bit encryption',
  'Zero-knowledge architecture',
  '100% green energy',
];

/** Values of "{product}" in the tagline: the marketplace niches. */
export const PRODUCTS: readonly string[] = ['product', 'VPN', 'hosting', 'software', 'finance app', 'course', 'shop'];
