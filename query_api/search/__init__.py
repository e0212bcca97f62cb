"""Search over the objects of all contexts."""
