import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { listedFiles } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SHORT = { '^short/': { filepath: '{stream}', duration: '1s' } }
const CONFIG = JSON.stringify({ mp4: { onpub: { record: { ...SHORT, '^changed/': { filepath: '{stream}' } } } } })

describe('rules of recordings', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
  })
  after(() => server?.stop())

  /** Changes keys of a section while the server runs. */
  async function change(section: string, values: unknown): Promise<void> {
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(values) }
    const { status, body } = await server.api(`/config/${section}`, init)
    expect(status, JSON.stringify(body)).to.equal(200)
  }

  it('go on with a stream that is there when they are changed', async () => {
    publish({ url: server.rtmp('changed/cam'), durationSeconds: 60 })
    await waitFor(async () => (await listedFiles(server, 'mp4', 'changed/cam')).some(({ isActive }) => isActive))
    await change('mp4', { onpub: { record: { ...SHORT, '^changed/': { filepath: '{stream}', fragment: '1s' } } } })
    const ended = await waitFor(async () => {
      const files = (await listedFiles(server, 'mp4', 'changed/cam')).filter(({ isActive }) => !isActive)
      return files.length >= 5 && files
    })
    // The one by the former rule and the first by this one have the same time.
    for (const { duration } of ended.slice(2)) expect(duration).to.be.within(950, 1100)
  })

  it('do not begin again what was over before its stream, whatever else is changed', async () => {
    publish({ url: server.rtmp('short/cam'), durationSeconds: 60 })
    const over = await waitFor(async () => {
      const files = await listedFiles(server, 'mp4', 'short/cam')
      return files.length > 0 && files.every(({ isActive }) => !isActive) && files
    })
    await change('flv', { onpub: { record: { '^short/': { filepath: '{stream}', fragment: '1s' } } } })
    // The stream is recorded for long enough that the other one would be seen.
    await waitFor(async () => (await listedFiles(server, 'flv', 'short/cam')).length >= 3)
    expect(await listedFiles(server, 'mp4', 'short/cam')).to.eql(over)
  })
})
