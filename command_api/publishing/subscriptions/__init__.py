"""Subscriptions to the newsletters of sites."""
