import { connect } from 'node:net'
import { expect } from 'chai'
import { AccessUnit, definePlugin, type Recording, type Recordings, type Track } from 'sluice/sdk'
import { sendRecording } from 'sluice/sdk/http'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { createFakeHost, SCRIPTED_AUDIO } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'

const TRACK: Track = { ...SCRIPTED_AUDIO, id: 0 }

const sender = definePlugin({
  name: 'sender',
  version: '1.0.0',
  sdk: '^1',
  setup(ctx) {
    const answer = { format: FLV_FORMAT, times: 'from-zero', headers: () => ({}), stallMs: 0 } as const
    const wanted = { streamPath: 'live/a', startMs: undefined, endMs: undefined }
    ctx.http.get('/*', { config: { access: 'public' } }, (_request, reply) => sendRecording(ctx, reply, wanted, answer))
  },
})

describe('sendRecording', () => {
  for (const method of ['GET', 'HEAD']) {
    it(`closes the recordings when a client of ${method} has left, or was answered`, async () => {
      let closed: AbortSignal | undefined
      let units = 0
      const next = () => AccessUnit.fromData(TRACK, ++units, units, true, Buffer.alloc(64 * 1024))
      const recording: Recording = { tracks: [TRACK], durationMs: 1000, next, seek: () => {} }
      const open = async (_init: unknown, signal: AbortSignal) => {
        closed = signal
        return recording
      }
      // It asks for nothing else of them.
      const host = await createFakeHost(sender, { services: { recordings: { open } as unknown as Recordings } })
      const socket = connect(Number(new URL(host.http.origin).port)).pause()
      socket.write(`${method} /sender/a HTTP/1.1\r\nHost: a\r\n\r\n`)
      await waitFor(() => (method === 'GET' ? units > 0 : closed))
      if (method === 'GET') expect(closed?.aborted).to.equal(false)
      socket.destroy()
      await waitFor(() => closed?.aborted === true)
      await host.dispose()
    })
  }
})
