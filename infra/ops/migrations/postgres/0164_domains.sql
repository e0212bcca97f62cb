-- Whose custom domains are, and which have TLS, follows from events: `althing migrate` builds it as the inline projection
-- `custom_domains`. When each is checked next is a timeout. Here the history of its checks stays.
CREATE SCHEMA domains;
GRANT USAGE ON SCHEMA domains TO query_reader;
ALTER TABLE policy.custom_domain RENAME TO dns_check;
ALTER TABLE policy.dns_check SET SCHEMA domains;
INSERT INTO kernel.timeout (process, id, due_at)
    SELECT 'domains:verification', domain_id, next_at FROM domains.dns_check WHERE next_at IS NOT NULL;
ALTER TABLE domains.dns_check DROP COLUMN website_id, DROP COLUMN tls_host, DROP COLUMN next_at;
