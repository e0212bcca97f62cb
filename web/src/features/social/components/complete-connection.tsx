import { useEffect, useRef } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { useCommand } from '@/lib/api/command';
import { completeConnection } from '../api/connections';

interface Props {
  readonly state: string;
  readonly code: string;
  readonly onConnected: (websiteId: string) => void;
}

/** Return from a network: hands on its code, once. */
export function CompleteConnection({ state, code, onConnected }: Props) {
  const { mutate, error } = useCommand(completeConnection, { onSuccess: ({ websiteId }) => onConnected(websiteId) });
  const sent = useRef(false); // the code works once
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    mutate({ state, code });
  }, [state, code, mutate]);
  return error ? <ErrorBox error={error} /> : <Loading label="Connecting the channel" />;
}
