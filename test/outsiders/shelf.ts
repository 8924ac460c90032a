import { definePlugin } from 'sluice/sdk'

/** Plays films of a shelf on the web at the paths `shelf/1` to `shelf/9`. */
export default definePlugin({
  name: 'shelf',
  version: '1.0.0',
  setup({ jobs }) {
    jobs.pulls.addSource({
      match(streamPath) {
        const film = /^shelf\/(?<number>[1-9])$/u.exec(streamPath)?.groups?.['number']
        if (film === undefined) return undefined
        const url = `https://shelf.example/${film}.mp4`
        const rule = {
          url,
          loop: 0,
          maxretry: 3,
          retryinterval: 1000,
          proxy: '',
          header: {},
          args: {},
          testmode: 0 as const,
        }
        // It goes on for ten seconds without viewers.
        const publish = { idletimeout: 10_000, delayclosetimeout: 10_000 }
        return { plugin: 'mp4', streamPath, rule, publish, args: {}, tag: film }
      },
    })
  },
})
