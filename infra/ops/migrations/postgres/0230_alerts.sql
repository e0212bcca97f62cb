-- Alerts that wait for an email, and what the last requests to the destinations of links found.
CREATE TABLE notifications.alert_mail (
    account_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    version int NOT NULL,
    is_resolved boolean NOT NULL,
    queued_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, alert_id, version)
);
CREATE TABLE notifications.link_check (
    link_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    destination text NOT NULL,
    host text NOT NULL,
    problem text NOT NULL,
    checked_at timestamptz NOT NULL,
    failures int NOT NULL,
    due_at timestamptz NOT NULL
);
CREATE INDEX link_check_website ON notifications.link_check (website_id);
