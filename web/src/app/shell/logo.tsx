import { PRODUCT } from '../product';

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-base font-semibold tracking-tight">
      <svg aria-hidden viewBox="0 0 32 32" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-brand" />
        <path
          d="M7 24 16 7l9 17"
          fill="none"
          className="stroke-on-brand"
          strokeWidth="3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <path
          d="M11 24v-4m5 4v-9m5 9v-4"
          className="stroke-on-brand"
          strokeOpacity="0.55"
          strokeWidth="2.6"
          strokeLinecap="round"
        />
      </svg>
      {PRODUCT}
    </span>
  );
}
