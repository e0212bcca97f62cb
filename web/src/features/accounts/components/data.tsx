import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import type { Account } from '@/lib/api/types';
import { endSession } from '@/lib/session';
import { userQuery } from '@/lib/api/shared-queries';
import { toast } from '@/stores/toasts';
import { eraseAccount } from '../api/profile';
import { ProofDialog } from '@/components/security/proof-dialog';

/** Taking everything away, and being forgotten. */
export function DataCard() {
  const user = useQuery(userQuery).data;
  const [erasing, setErasing] = useState(false);
  return (
    <Card title="Your data" description="Download or delete your data">
      <div className="flex flex-wrap gap-2">
        <a href="/api/platform/export" download="althing-export.json" className={buttonClass()}>
          <Download aria-hidden className="size-4" />
          Export my data
        </a>
        <Button variant="danger" disabled={!user} onClick={() => setErasing(true)}>
          Erase my account
        </Button>
      </div>
      {erasing && user && <Erase user={user} onClose={() => setErasing(false)} />}
    </Card>
  );
}

function Erase({ user, onClose }: { readonly user: Account; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <ProofDialog
      title="Erase my account?"
      description="Your name and email address are erased, your websites are disconnected and their keys stop working. This cannot be undone."
      action="Erase my account"
      danger
      user={user}
      ready={typed.trim().toLowerCase() === user.email.toLowerCase()}
      run={async (proof) => {
        await eraseAccount(proof);
        toast('Account erased');
        endSession();
      }}
      onClose={onClose}
    >
      <TextField
        label="Type your email to confirm"
        hint={user.email}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ProofDialog>
  );
}
