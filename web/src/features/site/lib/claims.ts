// Numbers and claims that the specification gives as marketing text (§1, §9). Real numbers are shown elsewhere.
export const STATISTICS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '2.4M+', label: 'monthly clicks' },
  { value: '24.5%', label: 'average conversion' },
  { value: '500+', label: 'active partners' },
  { value: '$180K', label: 'monthly revenue' },
];

export const SECURITY_STATISTICS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '10+', label: 'years in security' },
  { value: '50K+', label: 'protected users' },
  { value: '0', label: 'data breaches' },
];

export const SECURITY_CLAIMS: readonly string[] = [
  'Military-grade security',
  '256-bit encryption',
  'Zero-knowledge architecture',
  '100% green energy',
];

/** Values of "{product}" in the tagline: the marketplace niches. */
export const PRODUCTS: readonly string[] = ['product', 'VPN', 'hosting', 'software', 'finance app', 'course', 'shop'];
