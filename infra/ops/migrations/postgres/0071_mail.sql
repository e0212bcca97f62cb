-- Mails that wait, were sent, or are kept because there is no mail server. Text and address are sealed: they hold
-- one-time links and personal data. A sent mail's text is deleted at once.
CREATE TABLE ops.mail (
    id uuid PRIMARY KEY,
    account_id uuid,
    kind text NOT NULL,
    recipient_sealed text NOT NULL,
    subject text NOT NULL,
    text_sealed text,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts int NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL DEFAULT now(),
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz
);
CREATE INDEX mail_due ON ops.mail (next_at) WHERE state = 'waiting';
CREATE INDEX mail_account ON ops.mail (account_id);
