/**
 * The reasons for which a connection is refused; on the wire a handshake's type is 1000 + reason. Up to 17 they are libsrt's own
 * (draft-sharabayko-srt-01 section 4.3, table 7), from 1400 those that servers agree on, after HTTP's status codes.
 */
export const REJECT_REASON = {
  unknown: 0,
  system: 1,
  peer: 2,
  resource: 3,
  rogue: 4,
  backlog: 5,
  internal: 6,
  close: 7,
  version: 8,
  rendezvousCookie: 9,
  badSecret: 10,
  unsecure: 11,
  messageApi: 12,
  congestion: 13,
  filter: 14,
  group: 15,
  timeout: 16,
  crypto: 17,
  badRequest: 1400,
  unauthorized: 1401,
  overload: 1402,
  forbidden: 1403,
  notFound: 1404,
  badMode: 1405,
  unacceptable: 1406,
  conflict: 1409,
  notSupportedMedia: 1415,
  locked: 1423,
  failedDependency: 1424,
  internalServerError: 1500,
  unimplemented: 1501,
  gateway: 1502,
  down: 1503,
  versionNotSupported: 1505,
  noRoom: 1507,
} as const

/** The number that is added to a reason to make the type of a refusal. */
export const REFUSAL_TYPE_BASE = 1000
