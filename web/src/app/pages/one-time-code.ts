import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The code of an email link or a provider sign-in. It is in the fragment, which no server sees, and is removed from the URL immediately. */
export function useOneTimeCode(
  to:
    | '/reset-password'
    | '/confirm-email'
    | '/login/finish'
    | '/newsletter/confirm'
    | '/newsletter/unsubscribe'
    | '/site-newsletter/confirm'
    | '/site-newsletter/unsubscribe'
    | '/early-access/confirm'
    | '/early-access/leave'
    | '/notifications/unsubscribe'
    | '/reports/unsubscribe',
): string {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const [code] = useState(() => new URLSearchParams(hash).get('code') ?? '');
  useEffect(() => {
    if (hash) void navigate({ to, replace: true });
  }, [hash, navigate, to]);
  return code;
}
