// Figures and claims that the specification gives as marketing text (§1, §9). What can be counted is counted elsewhere.
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

export const SECURITY_CLAIMS: readonly string[] = ['Military-grade security', '256-bit encryption', 'Zero-knowledge architecture', '100% green energy'];

/** What "{product}" of the tagline stands for, one after the other: the niches of the marketplace. */
export const PRODUCTS: readonly string[] = ['product', 'VPN', 'hosting', 'software', 'finance app', 'course', 'shop'];
