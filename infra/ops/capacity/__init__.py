"""`althing capacity`: how many brokers, processes, shards and disks a load needs, from measured figures."""
