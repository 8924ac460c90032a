import { expect } from 'chai'
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  double,
  integer,
  oneof,
  string,
  tuple,
  uint8Array,
  type Arbitrary,
} from 'fast-check'
import { newAmfObject, type AmfValue } from 'sluice/sdk/media'
import { rounds } from '../support/soak.ts'
import { BadClient } from './support/bad-client.ts'
import { HEALTHY_VIEWERS, HealthySession } from './support/healthy-session.ts'
import { videoBody, VIDEO_CONFIG } from './support/numbered-video.ts'
import { chunk } from './support/rtmp-bytes.ts'
import { command, messageBytes } from './support/rtmp-client.ts'
import { ServerProcess } from './support/server-process.ts'

const RUNS = rounds(60)
const CONFIG = `
global:
  publish: { publishtimeout: 3s }
  subscribe: { waittimeout: 300ms }
`
const STREAM_ID = integer({ min: 0, max: 10 })
const TIMESTAMP = oneof(integer({ min: 0, max: 5000 }), integer({ min: 0, max: 0xff_ff_ff_ff }))
const NAMES = [
  'publish',
  'play',
  'createStream',
  'deleteStream',
  'closeStream',
  'pause',
  'seek',
  'connect',
  'FCPublish',
  'releaseStream',
  '_checkbw',
]
/** Few paths, so that the messages of one client meet; not the one that is watched. */
const PATHS = ['a', 'b', 'a?x=1', '../a', '']

const AMF_VALUE: Arbitrary<AmfValue> = oneof(
  constantFrom<AmfValue>(...PATHS, null, undefined, true, false),
  double(),
  string(),
  string().map((text) => Object.assign(newAmfObject(), { [text]: text })),
)

const COMMAND = tuple(
  constantFrom(...NAMES),
  integer({ min: 0, max: 9 }),
  array(AMF_VALUE, { maxLength: 4 }),
  STREAM_ID,
).map(([name, transactionId, args, id]) => messageBytes(command(name, transactionId, ...args), id))

const LIVELY_COMMAND = tuple(constantFrom('publish', 'play', 'closeStream'), constantFrom(...PATHS), STREAM_ID).map(
  ([name, path, id]) => messageBytes(command(name, 0, path), id),
)

const VIDEO = tuple(
  oneof(
    constantFrom(
      VIDEO_CONFIG,
      videoBody(1, { keyframe: true, sizeBytes: 100 }),
      videoBody(2, { keyframe: false, sizeBytes: 9 }),
    ),
    uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ),
  STREAM_ID,
  TIMESTAMP,
).map(([payload, id, timestamp]) => messageBytes({ kind: 'video', payload }, id, timestamp))

const CONTROL = tuple(
  constantFrom('windowAckSize', 'setChunkSize', 'acknowledgement'),
  integer({ min: 0, max: 0x7f_ff_ff_ff }),
).map(([kind, value]) =>
  messageBytes(kind === 'acknowledgement' ? { kind, receivedBytes: value } : ({ kind, sizeBytes: value } as const)),
)

const ANY_TYPE = tuple(integer({ min: 2, max: 70 }), integer({ min: 0, max: 25 }), uint8Array({ maxLength: 100 })).map(
  ([chunkStreamId, typeId, bytes]) => chunk(chunkStreamId, typeId, bytes.length, Buffer.from(bytes)),
)

const NOISE = uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))

const MESSAGES = array(
  oneof(
    { weight: 6, arbitrary: LIVELY_COMMAND },
    { weight: 6, arbitrary: VIDEO },
    { weight: 4, arbitrary: COMMAND },
    { weight: 2, arbitrary: CONTROL },
    { weight: 1, arbitrary: ANY_TYPE },
    { weight: 1, arbitrary: NOISE },
  ),
  { maxLength: 40 },
)

describe('RTMP messages in any order', () => {
  let server: ServerProcess
  let healthy: HealthySession

  before(async () => {
    server = await ServerProcess.start(CONFIG)
    healthy = await HealthySession.start(server)
  })

  after(async () => {
    healthy.close()
    await server.stop()
  })

  it('end their own session at most', async () => {
    const say = async (messages: Buffer[]) => {
      const { bad } = await BadClient.connected(server.ports.rtmp)
      for (const bytes of messages) bad.socket.write(bytes)
      // Some are closed by then, by themselves or by the server.
      bad.socket.end()
      await bad.closed
    }
    // Codecs that can't be carried are worth a warning, whoever sends them.
    const problems = () => server.problems.filter(({ msg }) => !msg.startsWith('a track is left out'))
    await assert(
      asyncProperty(array(MESSAGES, { minLength: 1, maxLength: 4 }), async (clients) => {
        const before = problems().length
        await Promise.all(clients.map(say))
        await server.usage()
        expect(problems().slice(before)).to.deep.equal([])
        expect(server.exitCode).to.equal(null)
      }),
      { numRuns: RUNS },
    )
    await healthy.expectUnharmed()
    const left = await server.sessions()
    expect(left).to.deep.equal({ streams: 1, subscribers: HEALTHY_VIEWERS })
  })
})
