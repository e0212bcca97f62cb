"""Attribution: assigns reported conversions to clicks, and approves them when their time has come."""
