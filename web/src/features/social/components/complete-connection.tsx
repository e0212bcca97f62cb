import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { toast } from '@/stores/toasts';
import { completeConnection, useConnectionsChanged } from '../api/connections';

interface Props {
  readonly state: string;
  readonly code: string;
  readonly onConnected: (websiteId: string) => void;
}

/** Return from a network: hands on its code, once. */
export function CompleteConnection({ state, code, onConnected }: Props) {
  const changed = useConnectionsChanged();
  const { mutate, error } = useMutation({
    mutationFn: completeConnection,
    onSuccess: async (connected) => {
      await changed();
      toast('Channel connected', `Connected as ${connected.name}.`);
      onConnected(connected.websiteId);
    },
  });
  const sent = useRef(false); // the code works once
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    mutate({ state, code });
  }, [state, code, mutate]);
  return error ? <ErrorBox error={error} /> : <Loading label="Connecting the channel" />;
}
