"""Rules and files of the ad platforms that accept conversions. Pure."""
