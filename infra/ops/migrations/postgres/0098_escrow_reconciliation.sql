-- The escrow provider is asked where the money is, in case its message never came. ask_at: when next; none: nothing is
-- waited for. What it says and does not fit is a call of the step `look` that failed, for an admin to see.
ALTER TABLE policy.escrow ADD COLUMN ask_at timestamptz DEFAULT now();
CREATE INDEX escrow_ask ON policy.escrow (ask_at) WHERE ask_at IS NOT NULL;
ALTER TABLE ops.escrow_call DROP CONSTRAINT escrow_call_step_check;
ALTER TABLE ops.escrow_call ADD CONSTRAINT escrow_call_step_check CHECK (step IN ('open', 'settle', 'cancel', 'look'));
