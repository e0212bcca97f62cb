import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The code of a mailed link, or of a provider's sign-in. It stands behind the "#", which no server sees, and leaves the address at once. */
export function useOneTimeCode(to: '/reset-password' | '/confirm-email' | '/login/finish' | '/newsletter/confirm' | '/newsletter/unsubscribe' | '/early-access/confirm' | '/early-access/leave' | '/notifications/unsubscribe'): string {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const [code] = useState(() => new URLSearchParams(hash).get('code') ?? '');
  useEffect(() => {
    if (hash) void navigate({ to, replace: true });
  }, [hash, navigate, to]);
  return code;
}
