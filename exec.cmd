@rem "npm start" begins with exec, so that signals sent to npm reach the server. Windows has no such command: this is it.
@%*
