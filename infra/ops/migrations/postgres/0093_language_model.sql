-- What was asked of a language model: reserved at its worst case before the call, settled with what it took.
CREATE TABLE ops.llm_call (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    purpose text NOT NULL,
    reserved_tokens int NOT NULL,
    used_tokens int,
    outcome text,
    created_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
);
CREATE INDEX llm_call_created ON ops.llm_call (created_at);
