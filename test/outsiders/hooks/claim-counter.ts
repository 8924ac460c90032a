import { definePlugin } from 'sluice/sdk'

declare module 'sluice/sdk' {
  interface Hooks {
    /** The hook of the plugin `claims`. */
    claimed(streamPath: string, isHeld: boolean): void
  }
}

/** Counts the claims that are held. */
export default definePlugin({
  name: 'claim-counter',
  version: '1.0.0',
  setup({ hooks, log }) {
    let held = 0
    hooks.on('claimed', (streamPath, isHeld) => {
      held += isHeld ? 1 : -1
      log.info({ streamPath, held }, 'claims')
    })
  },
})
