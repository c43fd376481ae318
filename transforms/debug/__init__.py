"""Looking into traced code: printing, callbacks, and values that derivatives pass by."""
