import { SluiceError } from 'sluice/sdk'
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

/** Whether a plugin failed because an address can't be had, which may change without anybody's doing here. */
export function isListenFailure(error: unknown): boolean {
  return error instanceof ListenError || (error instanceof Error && isListenFailure(error.cause))
}

/** Why a running plugin has another config than the file. The gates read the newest, whichever generation asks. */
export const NOT_APPLIED = 'the new config is not applied, but the gates are as configured now'
