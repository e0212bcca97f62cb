"""The APIs of ad platforms that accept conversions."""
