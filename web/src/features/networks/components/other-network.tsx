import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { networkOf } from '@/lib/networks/postback';
import {
  cancelImport,
  changeMapping,
  type ImportQuestion,
  type NetworkImport,
  type ReportMapping,
} from '../api/imports';
import { OTHER_NETWORK } from '../lib/mapping';

interface Props {
  readonly of: NetworkImport;
  readonly other: ImportQuestion;
  readonly onUploadAgain: (network: string) => void;
}

/** The question whether the file is of another network, if it is asked. */
export const otherNetworkOf = (questions: readonly ImportQuestion[]): ImportQuestion | undefined =>
  questions.find(({ field }) => field === OTHER_NETWORK);

/** An import keeps its network: the file is uploaded again under the right one, or a person says that it is right. */
export function OtherNetwork({ of, other, onUploadAgain }: Props) {
  const cancel = useCommand(cancelImport, { onSuccess: () => onUploadAgain(network) });
  const confirm = useCommand(changeMapping(of.importId));
  const network = other.choices.find((choice) => choice !== of.network) ?? '';
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{other.message}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={cancel.isPending} onClick={() => cancel.mutate(of.importId)}>
          {`Cancel and upload as ${networkOf(network)?.label ?? network}`}
        </Button>
        <Button
          variant="ghost"
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ ...(of.mapping as ReportMapping), is_of_network: true })}
        >
          {`It is a report of ${networkOf(of.network)?.label ?? of.network}`}
        </Button>
      </div>
    </div>
  );
}
