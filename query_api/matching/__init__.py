"""Program matching, reading: recommendations with their scores, applications, lessons and the directory."""
