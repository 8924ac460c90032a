import { errorCode, SetupLater, SluiceError } from 'sluice/sdk'
import { ListenError } from '../net/listen-error.ts'

/** The reason why a plugin can't run; the message is a clause to follow the plugin's name. */
export class PluginError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('PLUGIN', 503, message, options)
  }
}

/** The load or the setup of a version of a plugin was aborted: a newer version was found, or the plugin was removed. */
export class VersionOutdated extends PluginError {
  constructor() {
    super('is given up for a newer version')
  }
}

/** A plugin was not ready in time, as on a busy machine, or while a peer that it waits for does not answer. */
export class PluginLate extends PluginError {}

/**
 * True when a plugin failed because it can't listen on an address, which may change without a change of the config or the
 * code.
 */
export function isListenFailure(error: unknown): boolean {
  return error instanceof ListenError || (error instanceof Error && isListenFailure(error.cause))
}

/** The system's codes for servers, names and descriptors that may be available a little later. */
const PASSING_CODES = new Set([
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENFILE',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/** True when a plugin failed for a reason that may pass, so that a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof PluginLate || error instanceof ListenError || PASSING_CODES.has(errorCode(error))) return true
  // A part of the server, such as the database or a stream, is not available at present.
  const isUnavailable = error instanceof SluiceError && !(error instanceof PluginError) && error.statusCode === 503
  return isUnavailable || isPassing(error.cause)
}

/** Finds the request of a plugin for a later retry; undefined when there is none. */
export function setupLaterOf(error: unknown): SetupLater | undefined {
  if (error instanceof SetupLater) return error
  return error instanceof Error ? setupLaterOf(error.cause) : undefined
}

/** The note for a running plugin with an older config than the file. The gates read the newest config in every generation. */
export const NOT_APPLIED = 'the new config is not applied, but the gates are as configured now'
