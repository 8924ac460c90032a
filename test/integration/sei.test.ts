import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import { LiveViewer } from '../support/live-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** The UUID of texts (plugins/sei/README.md). */
const TEXT_UUID = '675ae7722069427a9d0f192d3610497f'
const OWN_UUID = '00000000000000010000030000000102'

/** What is inserted one after the other, what tells it apart in the bytes, and what a reader of SEI finds. */
const INSERTIONS = [
  { query: '', data: 'Tor 1 – 0:1', end: '0:1', found: TEXT_UUID + hex('Tor 1 – 0:1') },
  {
    query: '?type=5&format=json',
    data: '{"ball":[12.5,3]}',
    end: '12.5,3]}',
    found: TEXT_UUID + hex('{"ball":[12.5,3]}'),
  },
  {
    query: '?format=base64',
    data: Buffer.from(`${OWN_UUID}000001${hex('tail')}`, 'hex').toString('base64'),
    end: 'tail',
    found: `${OWN_UUID}000001${hex('tail')}`,
  },
] as const

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}

/** Keeps what comes. */
class Recorder extends LiveViewer {
  bytes = Buffer.alloc(0)

  protected override receive(bytes: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, bytes])
  }
}

/** The messages of user data that ffmpeg finds, without what encoders say of themselves. */
async function userData(file: string, format: 'h264' | 'hevc'): Promise<string[]> {
  const filter = `filter_units=pass_types=${format === 'h264' ? 6 : 39},trace_headers`
  const input = ['-v', 'info', '-nostdin', '-f', format, '-i', file]
  const peer = new PeerProcess('ffmpeg', [...input, '-c', 'copy', '-bsf:v', filter, '-f', 'null', '-'])
  await peer.succeed()
  const [, ...messages] = peer.stderr.split('User Data Unregistered')
  const bytesOf = (text: string) =>
    [...text.matchAll(/(?:uuid_iso_iec_11578|user_data_payload_byte)\[\d+\] +[01]+ = (?<byte>\d+)/gu)]
      .map(({ groups }) => Number(groups?.['byte']).toString(16).padStart(2, '0'))
      .join('')
  return messages.map(bytesOf).filter((found) => !/^.{32}7832363[45]/u.test(found))
}

describe('SEI messages', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: 'sei: { subscribe: { waittimeout: 1s } }' })
  })
  after(() => expect(server?.problems).to.eql([]))

  async function insert(streamPath: string, { query, data }: (typeof INSERTIONS)[number]): Promise<void> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) }
    const { status, body } = await server.api(`/sei/api/insert/${streamPath}${query}`, init)
    expect([status, body.code, body.message]).to.eql([200, 0, 'success'])
  }

  /** Inserts one message after the other, each when the one before has come; resolves with what was received. */
  async function received(streamPath: string, goOn: () => void): Promise<Recorder> {
    const [first, ...others] = INSERTIONS
    await insert(streamPath, first)
    const viewer = new Recorder(server.http(`/annexb/${streamPath}/sei`))
    const came = async ({ end }: { readonly end: string }) => {
      goOn()
      await waitFor(() => viewer.bytes.includes(end), { what: `the message '${end}'` })
    }
    await waitFor(() => server.server.streams.subscribers(`${streamPath}/sei`).length === 1)
    await came(first)
    for (const insertion of others) {
      await insert(streamPath, insertion)
      await came(insertion)
    }
    return viewer
  }

  async function check(viewer: Recorder, streamPath: string, file: string, format: 'h264' | 'hevc'): Promise<void> {
    await waitFor(() => server.server.streams.get(`${streamPath}/sei`) === undefined, { what: 'the end of the copy' })
    viewer.close()
    const got = path.join(server.folder, `got.${format}`)
    await writeFile(got, viewer.bytes)
    expect(await userData(got, format)).to.eql(INSERTIONS.map(({ found }) => found))
    const [sent, decoded] = [await framemd5(file), await framemd5(got, { input: ['-f', format] })]
    expect(sent).to.have.length.above(40)
    expect(decoded.map(({ md5 }) => md5)).to.eql(sent.map(({ md5 }) => md5))
  }

  it('are in H.264 with B-frames that ffmpeg publishes, and every picture is there', async () => {
    const file = path.join(server.folder, 'source.mp4')
    const video = { bFrames: 2, gopFrames: 1000, size: '160x120' }
    await makeTestFile({ url: file, durationSeconds: 8, video, audio: false })
    const source = publishFile(file, server.rtmp('live/avc'))
    await waitFor(() => server.server.streams.get('live/avc')?.tracks.length === 1)
    const viewer = await received('live/avc', () => {})
    await source.succeed()
    await check(viewer, 'live/avc', file, 'h264')
  })

  it('are in H.265 by enhanced RTMP, and every picture is there', async () => {
    const file = path.join(server.folder, 'hevc.mp4')
    const tags = enhancedTags([await makeEnhancedSource(file, 'hvc1')])
    const source = await RtmpClient.publish({ url: server.rtmp('live/hevc') })
    const send = (count: number) => {
      for (const tag of tags.splice(0, count)) source.send(tag)
    }
    send(10)
    await waitFor(() => server.server.streams.get('live/hevc')?.tracks.length === 1)
    const viewer = await received('live/hevc', () => send(5))
    send(tags.length)
    source.close()
    await check(viewer, 'live/hevc', file, 'hevc')
  })
})
