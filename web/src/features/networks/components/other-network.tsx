import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { networkOf } from '@/lib/networks/postback';
import { cancelImport, type ImportQuestion, type NetworkImport } from '../api/imports';
import { OTHER_NETWORK } from '../lib/mapping';

interface Props {
  readonly of: NetworkImport;
  readonly other: ImportQuestion;
  readonly onUploadAgain: (network: string) => void;
}

/** The question whether the file is of another network, if it is asked. */
export const otherNetworkOf = (questions: readonly ImportQuestion[]): ImportQuestion | undefined =>
  questions.find(({ field }) => field === OTHER_NETWORK);

/** An import keeps its network: the file is uploaded again under the right one. */
export function OtherNetwork({ of, other, onUploadAgain }: Props) {
  const cancel = useCommand(cancelImport, { onSuccess: () => onUploadAgain(network) });
  const network = other.choices.find((choice) => choice !== of.network) ?? '';
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{other.message}</p>
      <Button busy={cancel.isPending} onClick={() => cancel.mutate(of.importId)}>
        {`Cancel and upload as ${networkOf(network)?.label ?? network}`}
      </Button>
    </div>
  );
}
