import { errorCode, SetupLater, SluiceError } from 'sluice/sdk'
import { ListenError } from '../net/listen-error.ts'

/** Says why a plugin can't run; the message is a clause to follow the plugin's name. */
export class PluginError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('PLUGIN', 503, message, options)
  }
}

/** Work on a version of a plugin, its load or its setup, was given up: a newer one is there, or the plugin was removed. */
export class VersionOutdated extends PluginError {
  constructor() {
    super('is given up for a newer version')
  }
}

/** A plugin was not ready in time, as on a busy machine, or while something that it waits for does not answer. */
export class PluginLate extends PluginError {}

/** Whether a plugin failed because an address can't be had, which may change without anybody's doing here. */
export function isListenFailure(error: unknown): boolean {
  return error instanceof ListenError || (error instanceof Error && isListenFailure(error.cause))
}

/** The system's codes for servers, names and descriptors that may be there a little later. */
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

/** Tells whether a plugin failed for a reason that may pass, so that the same is worth another try. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof PluginLate || error instanceof ListenError || PASSING_CODES.has(errorCode(error))) return true
  // What is not available now: the database, a stream.
  const isUnavailable = error instanceof SluiceError && !(error instanceof PluginError) && error.statusCode === 503
  return isUnavailable || isPassing(error.cause)
}

/** Finds the wish of a plugin for another try; undefined where it has none. */
export function setupLaterOf(error: unknown): SetupLater | undefined {
  if (error instanceof SetupLater) return error
  return error instanceof Error ? setupLaterOf(error.cause) : undefined
}

/** Why a running plugin has another config than the file. The gates read the newest, whichever generation asks. */
export const NOT_APPLIED = 'the new config is not applied, but the gates are as configured now'
