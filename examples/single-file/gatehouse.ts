/**
 * A whole plugin in one file: who may publish and play, by a shared word in the URL, and a log of who comes and goes.
 *
 * Run it: `npm start -- -c examples/single-file/config.yaml`, then
 * `ffmpeg -re -i clip.mp4 -c copy -f flv 'rtmp://localhost/live/test?word=open-sesame'`.
 */
import { definePlugin, Secret, Type } from 'sluice/sdk'

export default definePlugin({
  name: 'gatehouse',
  version: '1.0.0',
  sdk: '^1',
  description: 'Lets in who knows the word',
  config: Type.Object({
    word: Secret({ default: '', description: 'What publishers must say; empty lets everybody in' }),
    argname: Type.String({ default: 'word', description: 'Query parameter that carries it' }),
  }),
  // Sessions this plugin makes itself wait longer than `global` says, unless its section in the file says otherwise.
  defaults: { subscribe: { waittimeout: '30s' } },
  live: ['word', 'argname'],

  setup(ctx) {
    const { hooks, log, streams } = ctx

    // Takes the place of the signature check, where that is on: `enableauth` and a key for the direction.
    streams.set_stream_auth_handler(({ is_publish, params }) => {
      const { word, argname } = ctx.config
      if (is_publish && word !== '' && params[argname] !== word) throw new Error('the word is wrong or missing')
    })

    // Hooks run after the gates; throwing refuses the session.
    hooks.on('publish', ({ streamPath }) => {
      if (streamPath.startsWith('private/')) throw new Error('private/ is not for publishing')
    })
    hooks.on('subscribed', ({ streamPath, pluginName, remoteAddr }) => {
      log.info({ stream: streamPath, protocol: pluginName, remoteAddr }, 'came')
    })
    hooks.on('unsubscribed', ({ streamPath, remoteAddr }, reason) => {
      log.info({ stream: streamPath, remoteAddr, reason: reason.text }, 'left')
    })
  },
})
