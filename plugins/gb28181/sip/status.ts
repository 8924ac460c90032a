/** The phrases of the statuses that are sent (RFC 3261 21, RFC 6665 8.3). */
const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  200: 'OK',
  202: 'Accepted',
  301: 'Moved Permanently',
  302: 'Moved Temporarily',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  423: 'Interval Too Brief',
  481: 'Call/Transaction Does Not Exist',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}

/** The phrase of a status; empty of one that is not sent here. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? ''
}
