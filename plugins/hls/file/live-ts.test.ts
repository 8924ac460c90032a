import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createFakeHost, LogRecords, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { AUDIO, ERROR_PAGE, makeSegments, PICTURES, VIDEO } from '../pull/fixtures/made-segments.ts'
import { LiveTs } from './live-ts.ts'

const [FIRST, SECOND] = [...makeSegments('s', { format: 'ts', count: 2, video: VIDEO, audio: AUDIO }).values()]
const broken = new TypeError('terminated', { cause: new Error('other side closed') })

describe('LiveTs', () => {
  let host: FakeHost<unknown>
  let records: LogRecords

  beforeEach(async () => {
    host = await createFakeHost({ name: 'hls', version: '1.0.0', setup: () => {} })
    records = new LogRecords('hls')
  })
  afterEach(() => host.dispose())

  async function* sends(...chunks: readonly (Buffer | Error)[]): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) {
      await turn()
      if (chunk instanceof Error) throw chunk
      yield chunk
    }
  }

  async function* silence(): AsyncGenerator<Uint8Array> {
    await Promise.withResolvers<never>().promise
    yield ERROR_PAGE
  }

  const opened = (body: AsyncIterable<Uint8Array>, startTimeoutMs?: number) =>
    LiveTs.open(body, records.logger, startTimeoutMs).then(() => 'open', String)

  it('publishes what comes, what it was known by included, until it breaks off', async () => {
    const pieces = [FIRST!.subarray(0, 100), FIRST!.subarray(100), SECOND!]
    const source = await LiveTs.open(sends(...pieces, broken), records.logger)
    const publisher = await host.streams.publish(sessionInit('live/a'), source.options)
    expect(await source.play(publisher).catch(String)).to.equal(
      'SourceError: the connection broke off: other side closed',
    )
    const pictures = publisher.units.filter(({ track }) => track.kind === 'video')
    expect(pictures).to.have.length(2 * PICTURES)
    expect(publisher.readDetails?.()).to.eql({ droppedUnits: 0 })
  })

  it('is not open before there is something to publish', async () => {
    expect(await opened(sends(ERROR_PAGE))).to.equal('SourceError: the source has ended')
    expect(await opened(sends(broken))).to.equal('SourceError: the connection broke off: other side closed')
    const pages = Array.from({ length: 5000 }, () => ERROR_PAGE)
    expect(await opened(sends(Buffer.concat(pages)))).to.match(/^SourceError: the source sends what is no MPEG-TS: /u)
    expect(await opened(silence(), 1)).to.equal('SourceError: no MPEG-TS came within 0.001 s')
  })
})
