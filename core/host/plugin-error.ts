import { SluiceError } from 'sluice/sdk'

/** Why a plugin can't run; the message is a clause to follow the plugin's name. */
export class PluginError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('PLUGIN', 503, message, options)
  }
}
