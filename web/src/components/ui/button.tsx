import { LoaderCircle } from 'lucide-react';
import type { ButtonHTMLAttributes, Ref } from 'react';
import { cx } from '@/lib/cx';

const VARIANTS = {
  primary: 'bg-brand text-on-brand hover:bg-brand-hover border-transparent',
  outline: 'bg-surface text-text hover:bg-sunken border-line',
  ghost: 'bg-transparent text-muted hover:bg-sunken hover:text-text border-transparent',
  danger: 'bg-bad-solid text-white hover:brightness-110 border-transparent',
} as const;
const SIZES = {
  sm: 'h-8 px-2.5 text-[0.8125rem] max-sm:h-10 max-sm:min-w-10',
  md: 'h-9 px-3.5 max-sm:h-10 max-sm:min-w-10',
  lg: 'h-11 px-5 text-base',
  icon: 'size-9 max-sm:size-10',
} as const;

export interface ButtonStyle {
  readonly variant?: keyof typeof VARIANTS;
  readonly size?: keyof typeof SIZES;
}

export function buttonClass({ variant = 'outline', size = 'md' }: ButtonStyle = {}, extra?: string): string {
  return cx(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg border font-medium whitespace-nowrap transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
    VARIANTS[variant],
    SIZES[size],
    extra,
  );
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement>, ButtonStyle {
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  variant,
  size,
  busy = false,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: Props) {
  return (
    <button
      type={type}
      className={buttonClass({ ...(variant ? { variant } : {}), ...(size ? { size } : {}) }, className)}
      disabled={disabled || busy}
      {...rest}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {children}
    </button>
  );
}
