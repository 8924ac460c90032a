import { errorCode, messageOf } from 'sluice/sdk'
import type { Failure } from '../backend.ts'

const NO_FILE = 'a file that db.dsn names (sslrootcert, sslcert, sslkey) can not be read'
const NOT_TRUSTED = 'its certificate is not trusted; name that of its authority by sslrootcert in db.dsn'
/** The reasons for errors of the system and of PostgreSQL (SQLSTATE) that mean that the database can't be reached. */
const AWAY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'there is no socket at its address',
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host is not known',
  EHOSTUNREACH: 'its host can not be reached',
  ENETUNREACH: 'its host can not be reached',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'it does not answer',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host; see db.dsn',
  '28000': 'it refuses the user; see db.dsn, and pg_hba.conf of the database',
  '28P01': 'it refuses the password; see db.dsn',
  '3D000': 'there is no database of this name; make it, or see db.dsn',
  '57P01': 'it is shutting down',
  '57P02': 'it has crashed, and starts again',
  '57P03': 'it is starting or shutting down',
}
/** The reasons for errors of queries that may succeed another time. */
const REFUSED: Readonly<Record<string, string>> = {
  '25P03': 'the transaction did nothing for too long',
  '25006': 'it can only be read',
  '40001': 'another transaction was in the way',
  '40P01': 'another transaction was in the way',
  '42501': 'its user may not do this; make it the owner of the database, or grant it CREATE on the schema',
  '53100': 'its disk is full',
  '53200': 'it has no memory left',
  '53300': 'it has no connection left; see its max_connections',
  '57014': 'a query took too long',
}
const UNIQUE_VIOLATION = '23505'
/** The messages of connections that have ended or can't be made; these errors have no codes. */
const CONNECTION_ERROR = /^(?:Connection terminated|Query read timeout)/u
/** The messages of the client for a dsn that prevents a connection, with their reasons. */
const UNFIT_DSN: readonly (readonly [message: RegExp, reason: string])[] = [
  [/^SASL: .* client password must be/u, 'it asks for a password; write it into db.dsn'],
  [/does not support SSL/u, 'it has no TLS; see sslmode in db.dsn'],
]
/** The messages for a connection that ended between two of its queries, as PostgreSQL ends a transaction that does nothing. */
const ENDED_CONNECTION = /^Client (?:has encountered|was closed)/u
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'
/** The class of connection exceptions, which also shows that a server is no PostgreSQL. */
const AWAY_CLASS = /^08.{3}$/u
/** The class of data exceptions, whose messages quote the data. */
const DATA_CLASS = /^22.{3}$/u

/** The database is not as it must be. */
export class UnfitDatabase extends Error {}

/** A query of a connection that has ended. */
export class EndedConnection extends Error {}

export function postgresFailure(error: unknown): Failure {
  if (error instanceof UnfitDatabase) return { kind: 'away', reason: error.message }
  const code = errorCode(error)
  const message = messageOf(error)
  const away = isOfFile(error) ? NO_FILE : (AWAY[code] ?? UNFIT_DSN.find(([pattern]) => pattern.test(message))?.[1])
  if (away !== undefined) return { kind: 'away', reason: away }
  if (AWAY_CLASS.test(code) || CONNECTION_ERROR.test(message)) {
    return { kind: 'away', reason: message.includes('timeout') ? 'it does not answer' : 'the connection was cut' }
  }
  if (message === POOL_TIMEOUT) return { kind: 'refused', reason: 'all connections are in use' }
  if (error instanceof EndedConnection || ENDED_CONNECTION.test(message))
    return { kind: 'refused', reason: 'the connection of the transaction has ended' }
  const refused = REFUSED[code]
  if (refused !== undefined) return { kind: 'refused', reason: refused }
  if (code === UNIQUE_VIOLATION) return { kind: 'not-unique' }
  return { kind: 'mistake', error: isOfServer(error) ? withoutValues(code, message) : error }
}

/** True for an error that a certificate or key could not be read. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open'
}

/** True for an error that PostgreSQL has sent. */
function isOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

/** An error without its `detail` and other fields, which quote rows. */
function withoutValues(code: string, message: string): Error {
  return new Error(DATA_CLASS.test(code) ? `a value can't be kept in its column (${code})` : `${message} (${code})`)
}
