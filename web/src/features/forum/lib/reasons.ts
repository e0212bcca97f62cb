export const REASONS = [
  { value: 'spam', label: 'Spam', hint: 'Unsolicited advertising.' },
  { value: 'off_topic', label: 'Off topic', hint: 'Posted in the wrong place.' },
  { value: 'abusive', label: 'Abusive', hint: 'Attacks or insults someone.' },
  { value: 'illegal', label: 'Illegal', hint: 'Breaks the law or infringes someone’s rights.' },
  { value: 'other', label: 'Something else', hint: 'Please explain in the note.' },
] as const;
export type Reason = (typeof REASONS)[number]['value'];

export const reasonLabel = (reason: string): string => REASONS.find((item) => item.value === reason)?.label ?? reason;
