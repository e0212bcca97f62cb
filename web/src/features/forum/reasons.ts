export const REASONS = [
  { value: 'spam', label: 'Spam', hint: 'It advertises something that nobody asked for.' },
  { value: 'off_topic', label: 'Off topic', hint: 'It belongs somewhere else.' },
  { value: 'abusive', label: 'Abusive', hint: 'It attacks or insults somebody.' },
  { value: 'illegal', label: 'Illegal', hint: 'It breaks the law or somebody’s rights.' },
  { value: 'other', label: 'Something else', hint: 'Please say what in the note.' },
] as const;
export type Reason = (typeof REASONS)[number]['value'];

export const reasonLabel = (reason: string): string => REASONS.find((item) => item.value === reason)?.label ?? reason;
