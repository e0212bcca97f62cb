-- Positions of all subscribers are in engine.position: those without generations have generation 0.
INSERT INTO engine.position (projection, generation, topic, partition, next_offset)
SELECT policy, 0, topic, partition, next_offset FROM policy.position;
DROP TABLE policy.position;

-- Notifications read topic `domain` from its beginning and skip what they have processed, by commit position.
INSERT INTO engine.position (projection, generation, topic, partition, domain_position)
SELECT 'notifications', 0, 'domain', 0, position FROM ops.notification_position WHERE position > 0;
DROP TABLE ops.notification_position;
