import { definePlugin, maskUrls, messageOf, quoted, StreamPath, Type, withDeadline } from 'sluice/sdk'
import { WebhookClient } from 'sluice/sdk/http'

const ANSWER_MS = 1000

/** Tells a web service that the server is up, and that it ends, as the last of all plugins; sends those home who wait for a stream. */
export default definePlugin({
  name: 'caretaker',
  version: '1.0.0',
  endsLast: true,
  config: Type.Object({ url: Type.String({ default: '', description: 'The web service that is told' }) }),
  setup(ctx) {
    const { config, hooks, log, operations, streams } = ctx
    const client = new WebhookClient()

    async function tell(event: string) {
      const body = JSON.stringify({ event })
      const request = { url: config.url, method: 'POST', body, headers: {}, timeoutMs: 2 * ANSWER_MS }
      try {
        await withDeadline(client.send(request), ANSWER_MS, () => new Error(`${config.url} does not answer`))
      } catch (error) {
        log.warn({ reason: maskUrls(messageOf(error)) }, `nobody was told of ${quoted(event)}`)
      }
    }

    hooks.on('started', () => tell('up'))
    ctx.onDispose(
      async () => {
        await tell('down')
        client.close()
      },
      { withinMs: 2 * ANSWER_MS },
    )

    operations.add({
      method: 'POST',
      path: 'send-home/{streamPath}',
      summary: 'Ends those who wait for a stream that does not come',
      params: Type.Object({ streamPath: StreamPath() }),
      handle({ params: { streamPath } }) {
        if (streams.get(streamPath) !== undefined) return
        const ids = streams.subscribers(streamPath).map(({ id }) => id)
        streams.end(ids, { code: 'timeout', text: 'it does not come today' })
      },
    })
  },
})
