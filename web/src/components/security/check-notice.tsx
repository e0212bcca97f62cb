import { useSecurityCheck } from '@/lib/api/security-check';

/** Explains a slow sign-in. The status element exists before its text, so that screen readers announce it. */
export function CheckNotice() {
  return (
    <p role="status" className="text-[0.8125rem] text-muted empty:-mt-4">
      {useSecurityCheck() &&
        'Many sign-in attempts for this account. Your browser is running a security check, which takes a few seconds.'}
    </p>
  );
}
