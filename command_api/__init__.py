"""The write side: commands become events in the event store; the relay publishes them to topic `domain`."""
